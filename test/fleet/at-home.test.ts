/** What is said at home of a run that nobody has, that goes on elsewhere, or whose worker there is lost. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openRun } from '../../src/library/index.ts';
import { type Finished, ralph, readJsonLines, type Started, start } from '../e2e/ralph.ts';
import { CONFIG, findRun, RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker, waitForHolder } = setUpFleet();

/** Asks first, where a file `ask` is. */
const AGENT = `#!/bin/sh
cat > /dev/null
if [ "$RALPH_HAT" = builder ]; then
  if [ -e ask ]; then echo "chosen: $(ralph ask 'Which colour?' --choices red,blue --default red --deadline 120s)" >> out.txt; fi
  if [ -e slow ]; then sleep "$(cat slow)"; fi
  echo built >> out.txt
  ralph emit build.done built
else
  ralph emit LOOP_COMPLETE fine
fi
`;

/** A person may publish a note, which no hat takes. */
const FILES = { 'agent.sh': AGENT, 'ralph.yml': CONFIG.replace('event_loop: {', 'event_loop: {terminal_events: [note.made], ') };

const begin = (folder: string, ...words: string[]): Started => {
  const started = start(folder, words, env());
  after(async () => {
    started.child.kill('SIGKILL');
    await started.done;
  });
  return started;
};

const at = (folder: string, ...words: string[]): Promise<Finished> => ralph(folder, words, env());

async function untilState(run: string, state: string): Promise<void> {
  const look = async (): Promise<string | undefined> =>
    readJsonLines<{ run: string; state: string }>((await at(tmpdir(), 'fleet', 'runs', '--format', 'json')).stdout).find(
      (kept) => kept.run === run,
    )?.state;
  await expect.poll(look, { timeout: 50_000, interval: 300 }).toBe(state);
}

/** The process in which a worker goes on with a run outlives it: both are lost with their machine. */
function killAll(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  for (const id of [pid, ...children]) process.kill(id, 'SIGKILL');
}

interface Asked {
  readonly alive: boolean;
  readonly open: readonly { readonly id: string; readonly text: string }[];
}

describe('at home, of a run on a fleet', { timeout: 150_000 }, () => {
  test('is said who may go on with it, what it asks elsewhere, and that its worker there is lost; lines wait for who goes on', async () => {
    const home = makeProject({ ...FILES, ask: '' });
    await startWorker('one', undefined, {}, ['--stand-in', '0']);
    const own = begin(home, ...RUN, '--fleet', server().url);
    await own.says('Which colour?');
    // The fleet has it, too.
    await pause(600);
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(home);

    const gap = await at(home, 'status');
    expect(gap.stdout).toMatch(/A worker that continues lost runs takes it\s+within 3 s[\s\S]*`ralph resume`/);
    const watching = begin(home, 'watch');
    await watching.says('Which colour?');
    await watching.says(`Nobody has run ${run} now`);

    const two = await startWorker('two');
    const readAsks = async (): Promise<Asked | undefined> => readJsonLines<Asked>((await at(home, 'asks', '--format', 'json')).stdout)[0];
    await expect
      .poll(readAsks, { timeout: 40_000, interval: 500 })
      .toMatchObject({ alive: true, open: [{ id: 'q1', text: expect.stringContaining('Which colour?') }] });
    expect((await at(home, 'status')).stdout).toContain('goes on with the worker two on ');
    // It is under way, so it stays.
    expect((await at(home, 'clean', '--keep', '0')).stderr).toMatch(new RegExp(`Run ${run} goes on with the worker two on \\S+: it stays`));
    expect((await at(home, 'runs')).stdout).toContain(run);
    const opened = await openRun({ cwd: home, env: { ...process.env, ...env() } });
    expect(opened.status()).toMatchObject({ elsewhere: { state: 'held', worker: 'two' }, attention: { state: 'working' } });
    const emitted = await at(home, 'emit', 'note.made', 'one');
    expect([emitted.code, emitted.stdout], emitted.stderr).toEqual([
      0,
      expect.stringMatching(/goes on with the worker two on .*nobody reads this.*ralph resume/),
    ]);

    killAll(two.pid);
    await expect
      .poll(async () => (await at(home, 'status')).stdout, { timeout: 60_000, interval: 1000 })
      .toMatch(/nobody has it now: it went on with the worker two on \S+, which is\s+lost/);
    expect((await at(home, 'runs')).stdout).toContain('not ended, lost with the worker two');
    const resumed = begin(home, 'resume');
    await resumed.says('at work on worker one');
    // Its turn is begun again where the lost worker had it, and asks again then.
    await expect.poll(async () => (await at(home, 'answer', 'blue')).code, { timeout: 20_000 }).toBe(0);
    expect((await resumed.done).code).toBe(0);
    expect(readFileSync(`${home}/out.txt`, 'utf8')).toContain('chosen: blue');
    const { code, stdout } = await watching.done;
    expect([code, stdout]).toEqual([0, expect.stringContaining('Completed after')]);
  });

  test('is said of an event that was published there while it completed elsewhere that nobody has taken it', async () => {
    const home = makeProject({ ...FILES, slow: '3' });
    await startWorker('one');
    const own = begin(home, ...RUN, '--fleet', server().url);
    await waitForHolder();
    own.child.kill('SIGKILL');
    await own.done;
    const emitted = await at(home, 'emit', 'note.made', 'one');
    expect([emitted.code, emitted.stdout], emitted.stderr).toEqual([
      0,
      expect.stringMatching(/Nobody has the run now; a worker that takes it does not read this\..*in this folder/),
    ]);
    await untilState(findRun(home), 'ended');
    const late = await at(home, 'emit', 'note.made', 'two');
    expect([late.code, late.stderr], late.stdout).toEqual([1, expect.stringContaining('is complete; nobody gets the event')]);
    // A refused resume changes nothing: it is still complete there.
    writeFileSync(`${home}/out.txt`, 'mine');
    const refused = await at(home, 'resume');
    expect([refused.code, refused.stderr], refused.stdout).toEqual([1, expect.stringContaining('out.txt')]);
    expect((await at(home, 'status')).stdout).toMatch(/went on with the worker one on \S+, and is\s+complete/);
    rmSync(`${home}/out.txt`);
    const resumed = await at(home, 'resume');
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining('Nobody took an event that was published here, because the run had already completed: note.made.'),
    ]);
  });
});
