/** Runs whose own process is lost: somebody else goes on with them, and they come home. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { toSkewed } from './blows.ts';
import { AGENT, findRun, listEvents, RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker, waitForHolder } = setUpFleet();

interface Kept {
  readonly run: string;
  readonly state: string;
  readonly epoch: number;
  readonly worker: string | null;
  readonly title: string;
}

async function listKept(): Promise<readonly Kept[]> {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env());
  return readJsonLines<Kept>(stdout);
}

const readOutput = (folder: string, name: string): string =>
  readFileSync(join(folder, '.ralph', 'runs', findRun(folder), 'turns', '1.1', name), 'utf8');

async function untilState(run: string, state: string, withinMs = 40_000): Promise<void> {
  // The title says why it ended, where it ended otherwise.
  const look = async (): Promise<string> => {
    const kept = (await listKept()).find((one) => one.run === run);
    return `${kept?.state}: ${kept?.title}`;
  };
  await expect.poll(look, { timeout: withinMs, interval: 300 }).toMatch(new RegExp(`^${state}:`));
}

describe('a run whose own process is lost', () => {
  test('is gone on with by a worker, to its end, and comes home with its journal and its files', async () => {
    const agent = { 'agent.sh': `${AGENT}echo "done as $RALPH_HAT"\n` };
    const [here, away] = [makeProject(agent), makeProject(agent)];
    const local = await ralph(here, RUN);
    writeFileSync(join(away, 'slow'), '2');
    await Promise.all([startWorker('one'), startWorker('two')]);
    const own = start(away, [...RUN, '--fleet', server().url], env());
    await own.says('at work as builder');
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(away);
    await untilState(run, 'ended');
    const taken = (await listKept()).find((kept) => kept.run === run);
    expect(taken?.epoch).toBeGreaterThan(1);
    expect(['one', 'two']).toContain(taken?.worker);
    const home = await ralph(away, ['resume'], env());
    expect([local.code, home.code], home.stderr).toEqual([0, 0]);
    expect(home.stderr).toContain('This run has ended');
    const kept = (await listKept()).find((one) => one.run === run);
    expect(kept).toMatchObject({ state: 'ended', title: 'Build it (completed)' });
    expect(readFileSync(join(away, 'out.txt'), 'utf8')).toBe(readFileSync(join(here, 'out.txt'), 'utf8'));
    expect(readFileSync(join(away, 'mine.txt'), 'utf8')).toBe('what nobody committed\n');
    // The turn that a worker had is taken up, and not begun again.
    expect(await listEvents(away)).toEqual(await listEvents(here));
    const turns = readdirSync(join(away, '.ralph', 'runs', run, 'turns')).filter((name) => /^\d+\.\d+$/.test(name));
    expect(turns.sort()).toEqual(['1.1', '2.1', '3.1', '4.1']);
    expect((await ralph(away, ['show', 'last', '--output'])).stdout).toContain('at work as reviewer');
    // What was said behind the moment at which the run's own process was lost is there, too.
    for (const name of ['text.md', 'stdout.log']) expect(readOutput(away, name)).toBe(readOutput(here, name));
    expect((await ralph(away, ['status', 'last', '--format', 'json'])).stdout).toContain('completed');
  });

  test('is not decided about by a process that was frozen and wakes up: it says who goes on, and nothing of it counts', async () => {
    const folder = makeProject({ slow: '2' });
    await startWorker('one');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    process.kill(own.child.pid ?? 0, 'SIGSTOP');
    const run = findRun(folder);
    await untilState(run, 'ended');
    process.kill(own.child.pid ?? 0, 'SIGCONT');
    const woken = await own.done;
    expect(woken.code).not.toBe(0);
    expect(woken.stdout + woken.stderr).toContain('another process goes on with this run');
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('has used no time that only the clock of a worker says', async () => {
    const folder = makeProject({ slow: '2' });
    await startWorker('one', undefined, toSkewed(10 * 3600_000), ['--stand-in', '0']);
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    await pause(1500);
    own.child.kill('SIGKILL');
    await own.done;
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stdout + home.stderr).toBe(0);
    const times = readFileSync(join(folder, '.ralph', 'runs', findRun(folder), 'journal.jsonl'), 'utf8').match(/(?<="at":)\d+/g) ?? [];
    expect(times.length).toBeGreaterThan(5);
    expect(Math.max(...times.map(Number))).toBeLessThan(Date.now() + 60_000);
  });

  test('can be gone on with by a person on another machine, in an empty folder', async () => {
    const folder = makeProject({ slow: '3' });
    await startWorker('one', undefined, {}, ['--stand-in', '0']);
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    await pause(300);
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    const elsewhere = mkdtempSync(join(tmpdir(), 'ralph-elsewhere-'));
    after(async () => rmSync(elsewhere, { recursive: true, force: true }));
    const refused = await ralph(folder, ['resume', run], { ...env(), RALPH_FLEET: 'nats://127.0.0.1:1' });
    expect([refused.code, refused.stderr.includes('There is no fleet')], refused.stderr).toEqual([1, true]);
    const { code, stdout, stderr } = await ralph(elsewhere, ['resume', run.slice(-5), '--fleet', server().url], env());
    expect(code, stdout + stderr).toBe(0);
    expect(readFileSync(join(elsewhere, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
    const full = await ralph(tmpdir(), ['resume', run, '--fleet', server().url], env());
    expect([full.code, full.stderr.includes('not empty')], full.stderr).toEqual([2, true]);
    const unknown = await ralph(tmpdir(), ['resume', 'no-such-run', '--fleet', server().url], env());
    expect([unknown.code, unknown.stderr.includes('knows no run no-such-run')], unknown.stderr).toEqual([2, true]);
  });

  test('never overwrites what a person changed at home meanwhile', async () => {
    const folder = makeProject({ slow: '2', 'out.txt': '' });
    await startWorker('one');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    await pause(300);
    own.child.kill('SIGKILL');
    await own.done;
    writeFileSync(join(folder, 'out.txt'), 'mine\n');
    await untilState(findRun(folder), 'ended');
    const refused = await ralph(folder, ['resume'], env());
    expect([refused.code, refused.stderr.includes('out.txt')], refused.stderr).toEqual([1, true]);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('mine\n');
    execFileSync('git', ['stash', '-q', '-u', '--', 'out.txt'], {
      cwd: folder,
      stdio: 'ignore',
      env: {
        ...process.env,
        HOME: folder,
        GIT_AUTHOR_NAME: 'U',
        GIT_AUTHOR_EMAIL: 'u@e',
        GIT_COMMITTER_NAME: 'U',
        GIT_COMMITTER_EMAIL: 'u@e',
      },
    });
    const home = await ralph(folder, ['resume'], env());
    expect(home.code, home.stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toMatch(/^built with/);
  });

  test('is refused to whoever resumes it while it goes on elsewhere', async () => {
    const folder = makeProject({ slow: '8' });
    await startWorker('one');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    own.child.kill('SIGKILL');
    await own.done;
    const run = findRun(folder);
    await expect.poll(async () => (await listKept()).find((kept) => kept.run === run)?.epoch, { timeout: 20_000 }).toBeGreaterThan(1);
    const refused = await ralph(folder, ['resume'], env());
    expect([refused.code, refused.stderr.includes('goes on with the worker one on')], refused.stderr).toEqual([1, true]);
  });
});
