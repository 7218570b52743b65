/** Panels on workers: real server, real processes, agents that are scripts. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findFiles, readAnswers, readMoves } from '../e2e/panel-scripts.ts';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { RUN, setUpFleet } from './scene.ts';

const { server, env, makeProject, startWorker, onFleet, waitForHolder } = setUpFleet();

/** Each agent of the panel is called by the name of its program. */
const PANEL = `panel: {agents: [${['red', 'blue', 'green'].map((id) => `{id: ${id}, backend: {type: custom, command: ./${id}.sh}}`).join(', ')}]`;

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {starting_event: build.start, completion_promise: LOOP_COMPLETE, max_iterations: 6}
gates: []
hats:
  designer: {triggers: [build.start], publishes: [build.done], ${PANEL}}}
  closer: {triggers: [build.done], publishes: [LOOP_COMPLETE]}
`;

/** Answers with a fruit of its own, and votes for the banana, which is that of blue; \`slow\` says for how long it works on each. */
const AGENT = `#!/bin/sh
own=$(basename "$0" .sh)
# Names of agents are told to none of them.
case $own in red) fruit=apple ;; blue) fruit=banana ;; *) fruit=cherry ;; esac
prompt=$(cat)
for last; do prompt="$prompt
$last"; done
if [ "$RALPH_HAT" = closer ]; then ralph emit LOOP_COMPLETE fine; exit; fi
if [ -e "$own.slow" ]; then sleep "$(cat "$own.slow")"; fi
case "$prompt" in
*"Vote for the best answer"*)
  best=$(printf '%s\\n' "$prompt" | sed -n 's/^### \\(agent[0-9]*\\) .*/\\1/;/^agent[0-9]*$/h;/^Take the banana/{x;/./p;x;}' | head -n 1)
  echo "VOTE: $best it is the best" ;;
*) echo "$fruit with $(cat mine.txt)" > made.txt; echo "Take the $fruit" ;;
esac
`;

const FILES = { 'ralph.yml': CONFIG, ...Object.fromEntries(['agent', 'red', 'blue', 'green'].map((name) => [`${name}.sh`, AGENT])) };

/** A panel, and behind it two hats at the same time. */
const BESIDE = `cli: {backend: custom, command: ./agent.sh}
event_loop: {routing: fanout, parallel: true, coordinator: hats, max_iterations: 6}
gates: []
hats:
  designer: {triggers: [task.start, task.resume], publishes: [build.done], ${PANEL}}}
  writer: {triggers: [build.done], publishes: [notes.done]}
  tester: {triggers: [build.done], publishes: [test.done]}
  closer: {triggers: [notes.done, test.done], publishes: [task.complete]}
`;

const BESIDE_AGENT = `case $RALPH_HAT in
writer) sleep 4; echo noted > notes.txt; ralph emit notes.done ok; exit ;;
tester) sleep 4; cp made.txt tested.txt; ralph emit test.done ok; exit ;;
closer) ralph emit task.complete fine; exit ;;
esac
if false`;

/** Looks until both of these workers have a turn, and which. A killed one of another test is in the list for a while. */
async function untilBothWork(): Promise<readonly string[]> {
  for (;;) {
    const { stdout } = await ralph(tmpdir(), ['fleet', 'workers', '--format', 'json'], env());
    const workers = readJsonLines<{ id: string; busy: readonly { name: string }[] }>(stdout);
    const busy = workers.filter(({ id }) => ['one', 'two'].includes(id)).flatMap((worker) => worker.busy.map(({ name }) => name));
    if (busy.length === 2) return busy.sort();
    await pause(100);
  }
}

/** Who won, with how many votes, and what came of it: without numbers that are drawn by chance. */
async function tell(folder: string) {
  const [moves, events, shown] = [
    readMoves(folder),
    await ralph(folder, ['events', 'last', '--format', 'json']),
    await ralph(folder, ['show', 'last', '1', '--diff']),
  ];
  const payloads = readJsonLines<{ topic: string; payload?: string }>(events.stdout).map(({ topic, payload = '' }) =>
    `${topic} ${payload}`.replaceAll(/agent\d/g, 'agent'),
  );
  const panel = await ralph(folder, ['panel', 'show', '--answers']);
  return {
    answers: [...readAnswers(folder)].sort(),
    votes: moves.filter(({ kind }) => kind === 'vote-given').length,
    made: readFileSync(join(folder, 'made.txt'), 'utf8'),
    payloads,
    diff: shown.stdout
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'ID')
      .split('\n')
      .filter((line) => /^[+-]/.test(line)),
    panel: panel.stdout
      .split('\n')
      .filter((line) => /^\s*(?:→|Take the| {4}\w+ +\d votes?)/.test(line))
      .map((line) => line.replace(/ \(.*/, ''))
      .sort(),
    kept: findFiles(folder, /panels\/\d+\.\d+\/(?:answer\.md|votes\.json)$/).map((path) => path.slice(path.indexOf('panels/'))),
  };
}

async function runLocally(files: Readonly<Record<string, string>> = {}) {
  const folder = makeProject({ ...FILES, ...files });
  const { code, stdout, stderr } = await ralph(folder, RUN);
  expect(code, stdout + stderr).toBe(0);
  return tell(folder);
}

describe('a panel on a fleet', { timeout: 120_000 }, () => {
  test('ends as one that works here: the same answers, the same winner, its work in the folder', async () => {
    const local = await runLocally();
    expect(local.made).toBe('banana with what nobody committed\n');
    await startWorker('seat', undefined, {}, ['--labels', 'custom,panel']);
    const folder = makeProject({
      ...FILES,
      'ralph.yml': CONFIG.replace('publishes: [build.done], panel', 'publishes: [build.done], runs_on: [panel], panel'),
    });
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(await tell(folder)).toEqual(local);
  });

  test('begins again on another worker where the first one is killed in the midst of it, and ends with the same winner', async () => {
    const folder = makeProject({ ...FILES, 'green.slow': '4' });
    const workers = await Promise.all([startWorker('first'), startWorker('second')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
    const holder = await waitForHolder();
    const killed = workers[holder === 'first' ? 0 : 1];
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(stdout + stderr).toMatch(new RegExp(`the worker ${holder} was lost`));
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
  });

  test('begins anew where its run and its worker were killed, and ends with the same winner and its work', async () => {
    const folder = makeProject({ ...FILES, 'green.slow': '4' });
    const workers = await Promise.all([startWorker('early'), startWorker('late')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
    const holder = await waitForHolder();
    for (const pid of [run.child.pid, workers[holder === 'early' ? 0 : 1]?.pid]) process.kill(pid ?? 0, 'SIGKILL');
    await run.done;
    const { code, stdout, stderr } = await ralph(folder, ['resume'], env());
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(stdout + stderr).toContain('this panel begins anew');
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
  });

  test('stands before hats that work at the same time, which spread over the workers with what it made', async () => {
    const folder = makeProject({
      ...FILES,
      'ralph.yml': BESIDE,
      'agent.sh': AGENT.replace('if [ "$RALPH_HAT" = closer ]', BESIDE_AGENT),
    });
    const workers = await Promise.all([startWorker('one'), startWorker('two')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    expect(await untilBothWork()).toEqual(['2.1', '3.1']);
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const made = 'banana with what nobody committed\n';
    expect([read('made.txt'), read('tested.txt'), read('notes.txt')]).toEqual([made, made, 'noted\n']);
    for (const worker of workers) expect((await worker.end()).stderr).toMatch(/Iteration [23] \((?:tester|writer)\)/);
  });
});
