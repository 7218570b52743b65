/** Runs of a fleet that are steered and looked at from another folder, as from another machine. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Finished, ralph, readJsonLines, type Started, start } from '../e2e/ralph.ts';
import { RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker, waitForHolder } = setUpFleet();

const findRun = (folder: string): string => readdirSync(join(folder, '.ralph', 'runs'))[0] ?? '';

/** A folder in which nothing is. */
function makeElsewhere(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-elsewhere-'));
  after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** All prompts of a run, one behind the other. */
function readPrompts(folder: string): string {
  const turns = join(folder, '.ralph', 'runs', findRun(folder), 'turns');
  return readdirSync(turns)
    .flatMap((turn) => (existsSync(join(turns, turn, 'prompt.md')) ? readFileSync(join(turns, turn, 'prompt.md'), 'utf8') : []))
    .join('\n');
}

/** Waits for a moment, and asks where a file \`ask\` is. */
const AGENT = `#!/bin/sh
cat > /dev/null
echo "at work as $RALPH_HAT"
if [ "$RALPH_HAT" = builder ]; then
  if [ -e ask ]; then echo "chosen: $(ralph ask 'Which colour?' --choices red,blue --default red --deadline 60s)" >> out.txt; fi
  if [ -e slow ]; then sleep "$(cat slow)"; fi
  echo built >> out.txt
  ralph emit build.done built
else
  ralph emit LOOP_COMPLETE fine
fi
`;

/** A test that fails leaves nothing behind. */
function startRun(folder: string): Started {
  const run = start(folder, [...RUN, '--fleet', server().url], env());
  after(async () => {
    run.child.kill('SIGKILL');
    await run.done;
  });
  return run;
}

const elsewhere = (folder: string, ...words: string[]): Promise<Finished> => ralph(folder, [...words, '--fleet'], env());

describe('a run of a fleet, from another folder', () => {
  test('is told something, with the receipt of a local tell; the journal says by whom', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '3' }), makeElsewhere()];
    await startWorker('one');
    const run = startRun(home);
    await waitForHolder();
    const told = await elsewhere(away, 'tell', 'use the old API', '--next');
    expect([told.code, told.stdout], told.stderr).toEqual([
      0,
      expect.stringMatching(/^Told \S+: in the journal \(#\d+\); whoever works gets it with the next prompt\.\n$/),
    ]);
    const refused = await elsewhere(away, 'tell', 'x', '--to', 'nobody');
    expect([refused.code, refused.stderr.includes('There is no hat "nobody"')], refused.stderr).toEqual([2, true]);
    const long = await elsewhere(away, 'tell', 'x'.repeat(100_000));
    expect([long.code, long.stderr.includes('more than 20000 characters')], long.stderr.slice(0, 500)).toEqual([2, true]);
    const { code, stdout, stderr } = await run.done;
    expect(code, stdout + stderr).toBe(0);
    expect(readPrompts(home)).toContain('use the old API');
    const journal = readFileSync(join(home, '.ralph', 'runs', findRun(home), 'journal.jsonl'), 'utf8');
    expect(journal.match(/"type":"told"[^\n]*"how":"fleet"/g)).toHaveLength(1);
    const late = await elsewhere(away, 'tell', 'too late');
    expect([late.code, late.stderr.includes('is complete; nobody hears it')], late.stderr).toEqual([1, true]);
  });

  test('is given the answer to its question', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, ask: '' }), makeElsewhere()];
    await startWorker('one');
    const run = startRun(home);
    await run.says('Which colour?');
    const wrong = await elsewhere(away, 'answer', 'green');
    expect([wrong.code, wrong.stderr.includes('Choose one of: red, blue')], wrong.stderr).toEqual([2, true]);
    const answered = await elsewhere(away, 'answer', 'blue');
    expect([answered.code, answered.stdout], answered.stderr).toEqual([0, expect.stringMatching(/^Answered q1 of \S+: blue\.\n$/)]);
    expect((await run.done).code).toBe(0);
    expect(readFileSync(join(home, 'out.txt'), 'utf8')).toContain('chosen: blue');
  });

  test('is stopped, and says then that nobody has it', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '60' }), makeElsewhere()];
    await startWorker('one');
    const run = startRun(home);
    await run.says('at work as builder');
    const id = findRun(home);
    const stopped = await elsewhere(away, 'stop', id, '--now');
    expect([stopped.code, stopped.stdout.includes(`Run ${id} has stopped`)], stopped.stderr).toEqual([0, true]);
    expect((await run.done).stdout).toMatch(/ralph stop \(.+@.+, by fleet\)/);
    const kept = await elsewhere(away, 'tell', id, 'use the old API');
    expect([kept.code, kept.stdout.includes(`Kept for ${id} on its fleet`)], kept.stderr).toEqual([0, true]);
    const again = await elsewhere(away, 'stop', id);
    expect([again.code, again.stderr.includes(`Nobody has run ${id}: it was stopped`)], again.stderr).toEqual([1, true]);
    writeFileSync(join(home, 'slow'), '0');
    const resumed = await ralph(home, ['resume'], env());
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(readPrompts(home)).toContain('use the old API');
    expect((await elsewhere(away, 'tell', 'no-such-run', 'x')).code).toBe(2);
  });

  test('is steered where a worker goes on with it, also behind words that its first process has read', async () => {
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '4' }), makeElsewhere()];
    await startWorker('one');
    const run = startRun(home);
    await waitForHolder();
    const id = findRun(home);
    expect((await elsewhere(away, 'tell', 'first word', '--next')).code).toBe(0);
    run.child.kill('SIGKILL');
    await run.done;
    const told = await ralph(away, ['tell', id, 'second word, a little longer', '--next', '--fleet'], env());
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringMatching(/^(?:Kept for|Told) /)]);
    await expect
      .poll(async () => readJsonLines<{ state: string }>((await ralph(away, ['fleet', 'runs', '--format', 'json'], env())).stdout).at(-1), {
        timeout: 40_000,
        interval: 500,
      })
      .toMatchObject({ state: 'ended' });
    expect((await ralph(home, ['resume'], env())).code).toBe(0);
    const prompts = readPrompts(home);
    expect([prompts.includes('first word'), prompts.includes('second word')]).toEqual([true, true]);
  });

  test('takes no word over the fleet where its configuration lets in only people of its machine, and none of an agent', async () => {
    const config = `${readFileSync(join(makeProject(), 'ralph.yml'), 'utf8')}external_events: terminal\n`;
    const [home, away] = [makeProject({ 'agent.sh': AGENT, slow: '5', 'ralph.yml': config }), makeElsewhere()];
    await startWorker('one');
    const run = startRun(home);
    await waitForHolder();
    const refused = await elsewhere(away, 'tell', 'x');
    expect([refused.code, refused.stderr.includes('external_events: terminal')], refused.stderr).toEqual([1, true]);
    const agent = await ralph(away, ['stop', '--now', '--fleet'], { ...env(), RALPH_TURN: '1.1' });
    expect([agent.code, agent.stderr.includes('belongs to the run itself')], agent.stderr).toEqual([1, true]);
    writeFileSync(join(away, 'nothing'), '');
    expect(existsSync(join(away, '.ralph'))).toBe(false);
    run.child.kill('SIGINT');
    await run.done;
  });
});
