/** What agents of panels and workers may not do, on workers: real server, real processes, and a worker that is played by hand. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectFleet } from '../../src/app/index.ts';
import type { Json } from '../../src/core/values/json.ts';
import { ROUND_END } from '../../src/fleet/round-fixtures.ts';
import type { Fleet } from '../../src/ports/fleet.ts';
import { readAnswers } from '../e2e/panel-scripts.ts';
import { ralph } from '../e2e/ralph.ts';
import { setUpFleet } from './scene.ts';

const { server, after, makeProject, startWorker, onFleet } = setUpFleet();

const toConfig = (agents: string, more = ''): string => `cli: {backend: custom, command: ./agent.sh}
event_loop: {starting_event: build.start, completion_promise: LOOP_COMPLETE, max_iterations: 6}
gates: []
hats:
  designer: {triggers: [build.start], publishes: [build.done], panel: {agents: [${agents}]${more}}}
  closer: {triggers: [build.done], publishes: [LOOP_COMPLETE]}
`;
const toAgent = (id: string, more = ''): string => `{id: ${id}, backend: {type: custom, command: ./${id}.sh}${more}}`;

/** Does what `$answering` says, and votes for the answer that begins with these words. */
const toProgram = (answering: string, best: string): string => `#!/bin/sh
prompt=$(cat)
for last; do prompt="$prompt
$last"; done
if [ "$RALPH_HAT" = closer ]; then ralph emit LOOP_COMPLETE fine; exit; fi
case "$prompt" in
*"Vote for the best answer"*)
  best=$(printf '%s\\n' "$prompt" | sed -n 's/^### \\(agent[0-9]*\\) .*/\\1/;/^agent[0-9]*$/h;/^${best}/{x;/./p;x;}' | head -n 1)
  echo "VOTE: $best it is the best" ;;
*) ${answering} ;;
esac
`;
const toFruit = (fruit: string, best: string): string => toProgram(`echo ${fruit} > made.txt; echo "Take the ${fruit}"`, best);

/** How many answers of each agent count. */
async function countAnswers(folder: string): Promise<readonly number[]> {
  const { stdout } = await ralph(folder, ['panel', 'show', '--format', 'json']);
  const { answers } = JSON.parse(stdout) as { readonly answers: readonly { readonly agent: string }[] };
  return ['red', 'blue', 'green'].map((id) => answers.filter(({ agent }) => agent === id).length);
}

const evil = (path: string, mode = '100644') => ({
  path,
  mode,
  isNew: true,
  bytes: Buffer.from(mode === '120000' ? '/tmp' : 'evil').toString('base64'),
});

/** A worker that reports what nobody would: for rounds that others have, twice, and with files that are to go elsewhere. */
async function playHostile(fleet: Fleet, signal: AbortSignal): Promise<void> {
  const orders: string[] = [];
  let number = 0;
  while (!signal.aborted) {
    const claim = await fleet.queue.claim({ id: 'evil', labels: ['claude'], protocol: 5 }, signal).catch(() => null);
    if (claim === null) continue;
    const { run, name } = claim.order;
    orders.push(name);
    const report = async (words: object, of = name, worker = 'evil'): Promise<void> => {
      number += 1;
      await fleet.reports.append({ run, name: of, worker, number, body: { value: words as Json } });
    };
    const answer = (content: string, call: number, changes: readonly object[] | null = null): object => ({
      ...{ kind: 'round-hand-in', call, handIn: { kind: 'answer', content } },
      changes: changes === null ? null : { value: changes },
    });
    for (const other of ['1.1.2.1', '1.1.3.1', '1.1.2.2', '1.1.3.2']) {
      await report(answer('Take the poison', 1, [evil('made.txt')]), other);
      await report({ ...ROUND_END, said: 'Take the poison' }, other);
    }
    await report({ kind: 'round-told', event: { type: 'started' } });
    if (orders.length === 1) {
      const paths = ['../evil.txt', '/tmp/ralph-evil-answer.txt', '.git/hooks/post-checkout'];
      await report(
        answer('Take the poison', 1, [evil('out', '120000'), evil('out/ralph-evil-answer.txt'), ...paths.map((path) => evil(path))]),
      );
    } else {
      for (const call of [1, 1, 2]) await report(answer(`Take the hemlock, for the ${call}`, call, [evil('made.txt')]));
      for (const target of ['agent1', 'agent2', 'agent3', 'agent1'])
        await report({ kind: 'round-hand-in', call: 9, handIn: { kind: 'vote', target, reason: '' }, changes: null });
    }
    for (const _ of [1, 2]) await report(ROUND_END);
    await claim.end();
  }
}

describe('on workers', { timeout: 120_000 }, () => {
  test('an agent that takes longer than a round may is ended there, and the others decide', async () => {
    const banana = 'Take the banana';
    const folder = makeProject({
      'ralph.yml': toConfig(
        [toAgent('red'), toAgent('blue'), toAgent('green')].join(', '),
        ', round_timeout: 4s, grace: 1s, min_agents: 2',
      ),
      'agent.sh': toFruit('apple', banana),
      'red.sh': toFruit('apple', banana),
      'blue.sh': toFruit('banana', banana),
      'green.sh': toProgram('sleep 336', banana),
    });
    await Promise.all([startWorker('one'), startWorker('two')]);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won')]);
    expect(stdout + stderr).toContain('failed: it handed in nothing within 4.0 s, and 1.0 s of grace');
    expect(await countAnswers(folder)).toEqual([1, 1, 0]);
    expect(execFileSync('sh', ['-c', 'ps -eo args | grep "^sleep 336" || true']).toString()).toBe('');
  });

  test('the time of the panel ends it with what there is, and ends the agents on their workers', async () => {
    const banana = 'Take the banana';
    const folder = makeProject({
      'ralph.yml': toConfig([toAgent('red'), toAgent('blue'), toAgent('green')].join(', '), ', timeout: 6s, grace: 1s, min_agents: 2'),
      'agent.sh': toFruit('apple', banana),
      'red.sh': toFruit('apple', banana),
      'blue.sh': toFruit('banana', banana),
      'green.sh': toProgram('sleep 337', banana),
    });
    await Promise.all([startWorker('one'), startWorker('two')]);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/→ (?:red|blue) won/)]);
    expect(await countAnswers(folder)).toEqual([1, 1, 0]);
    expect(execFileSync('sh', ['-c', 'ps -eo args | grep "^sleep 337" || true']).toString()).toBe('');
  });

  test('an agent hands in one answer however often it tries, and what one writes that may not is not in its answer', async () => {
    const best = 'Take the cherry';
    const twice = 'echo apple > made.txt; for time in 1 2 3; do ralph panel answer "Take the apple, $time"; done';
    const folder = makeProject({
      'ralph.yml': toConfig([toAgent('red'), toAgent('blue'), toAgent('green', ', profile: explorer')].join(', ')),
      'agent.sh': toFruit('apple', best),
      'red.sh': toProgram(twice, best),
      'blue.sh': toFruit('banana', best),
      'green.sh': toProgram('echo cherry 2> /dev/null > made.txt; echo "Take the cherry"', best),
    });
    await startWorker('one', undefined, {}, ['--slots', '2']);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ green won')]);
    expect([...readAnswers(folder)].sort()).toEqual(['Take the apple, 1', 'Take the banana', 'Take the cherry']);
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
  });

  test('a worker that reports for others, twice, and files that are to go elsewhere changes nothing but its own answer', async () => {
    const best = 'Take the banana';
    const red = '{id: red, backend: {type: claude, command: ./red.sh}}';
    const folder = makeProject({
      'ralph.yml': toConfig([red, toAgent('blue'), toAgent('green')].join(', ')),
      ...Object.fromEntries(['agent', 'red', 'green'].map((name) => [`${name}.sh`, toFruit('cherry', best)])),
      'blue.sh': toFruit('banana', best),
    });
    const stop = new AbortController();
    const fleet = await connectFleet({ url: server().url, env: {}, name: 'evil' });
    const playing = playHostile(fleet, stop.signal);
    after(async () => {
      stop.abort();
      await playing;
      await fleet.close();
    });
    await startWorker('honest', undefined, {}, ['--slots', '2']);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won')]);
    // What it handed in first came with files that are to go elsewhere; then one of several counts.
    expect(await countAnswers(folder)).toEqual([1, 1, 1]);
    expect(readAnswers(folder).filter((text) => text?.includes('poison'))).toEqual([]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana\n');
    const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.includes('evil') || path.endsWith('hooks/post-checkout'),
    );
    expect([written, existsSync('/tmp/ralph-evil-answer.txt')]).toEqual([[], false]);
  });
});
