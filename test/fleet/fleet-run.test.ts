/** Runs whose turns are taken by workers: real server, real processes, agents that are scripts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem, readJournal } from '../../src/journal/index.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { makeFolder, ralph, readJsonLines, start, withFolder } from '../e2e/ralph.ts';
import { AGENT, CONFIG, listEvents, RUN, setUpFleet } from './scene.ts';

const { server, env, after, makeProject, startWorker, onFleet, waitForHolder } = setUpFleet();

/** What the journal of a folder's run leads to, but for what differs from run to run. */
function foldRun(folder: string): unknown {
  const runs = join(folder, '.ralph', 'runs');
  const fold = createJournalFold();
  const path = join(runs, readdirSync(runs)[0] ?? '', 'journal.jsonl');
  readJournal({ fs: nodeFileSystem, path }, (entry) => void fold.take(entry));
  const differs = ['at', 'runId', 'elapsedMs', 'runningSince', 'startedAt', 'pid', 'processStart', 'dueAt', 'inboxOffset', 'durationMs'];
  return JSON.parse(JSON.stringify(fold.run().state, (key, value: unknown) => (differs.includes(key) ? undefined : value)));
}

describe('a run on a fleet', () => {
  test('gives a turn only to a worker that has what its hat asks for', async () => {
    const folder = makeProject({ 'ralph.yml': CONFIG.replace('instructions: Build.', 'instructions: Build., runs_on: [gpu]') });
    await startWorker('plain');
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await run.says('Iteration 1 (builder) waits for a worker with custom,gpu');
    const status = await ralph(folder, ['status'], env());
    expect(status.stdout).toMatch(/State +working: Iteration 1 \(builder\) waits for a worker of the fleet, for \d/);
    expect(status.stdout).toMatch(/Fleet +its turns are taken by workers of nats:\/\/127\.0\.0\.1:\d+\s/);
    const gpu = await startWorker('strong', undefined, {}, ['--labels', 'custom,gpu']);
    const { code, stdout } = await run.done;
    expect(code, stdout).toBe(0);
    // What its agent says passes by at once, and may be there before.
    expect(stdout).toMatch(
      /Iteration 1 \(builder\) is taken by worker strong, after \d+ s\.\n(?:.*at work as builder\n)?.*at work on worker strong/,
    );
    expect((await ralph(folder, ['show', 'last', '1'])).stdout).toMatch(/Worker +strong/);
    const events = await ralph(folder, ['events', 'last', '--format', 'json']);
    const built = readJsonLines<{ source: string; worker: string }>(events.stdout).filter(({ source }) => source === 'builder');
    expect(built.map(({ worker }) => worker)).toEqual(['strong', 'strong']);
    // One that is told to take no more ends by itself.
    const drained = await ralph(folder, ['fleet', 'drain', 'strong'], env());
    expect([drained.code, drained.stderr]).toEqual([0, expect.stringContaining('takes no more turns')]);
    expect((await gpu.gone).code).toBe(0);
    expect((await ralph(folder, ['fleet', 'drain', 'strong'], env())).code).toBe(1);
  });

  test('whose process died gives no turn to a worker that comes later, until somebody goes on with it', async () => {
    const folder = makeProject();
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await run.says('waits for a worker with custom');
    run.child.kill('SIGKILL');
    await run.done;
    const late = await startWorker('late', undefined, {}, ['--stand-in', '0']);
    await pause(5000);
    expect((await ralph(folder, ['fleet', 'workers'], env())).stdout).toMatch(/late +idle/);
    const resumed = await ralph(folder, ['resume'], env());
    expect(resumed.code, resumed.stderr).toBe(0);
    expect((await late.end()).stderr).toMatch(/^(?:(?!Iteration).*\n)*Iteration 1 \(builder\)(?:, attempt \d+)? of run .*: taken/);
  });

  test('refuses a worker whose name another one has, and lets one that was killed come back at once in its folder', async () => {
    const first = await startWorker('same');
    await withFolder({}, async (home) => {
      const second = await ralph(tmpdir(), ['worker', '--name', 'same', '--labels', 'custom', '--home', home], env());
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('Another worker of this fleet is called same')]);
      expect(readdirSync(home)).toEqual([]);
    });
    process.kill(first.pid, 'SIGKILL');
    await first.gone;
    const again = await startWorker('same', first.home);
    await expect.poll(async () => (await ralph(tmpdir(), ['fleet', 'workers'], env())).stdout).toMatch(/same +idle/);
    expect((await again.end()).stderr).not.toContain('Another worker');
    expect((await ralph(tmpdir(), ['fleet', 'workers'], env())).stdout).not.toContain('same');
  });

  test('gives a name of a worker that was killed to the next one in the folder of all, whatever its own folder is', async () => {
    const isListed = async (name: string): Promise<boolean> => (await ralph(tmpdir(), ['fleet', 'workers'], env())).stdout.includes(name);
    await withFolder({}, async (caches) => {
      const begin = (name: string) =>
        start(tmpdir(), ['worker', '--name', name, '--labels', 'custom'], { ...env(), XDG_CACHE_HOME: caches });
      const killed = begin('sibling-a');
      await expect.poll(() => isListed('sibling-a'), { timeout: 10_000 }).toBe(true);
      killed.child.kill('SIGKILL');
      await killed.done;
      expect(await isListed('sibling-a')).toBe(true);
      const next = begin('sibling-b');
      try {
        await expect.poll(() => isListed('sibling-b'), { timeout: 10_000 }).toBe(true);
        expect(await isListed('sibling-a')).toBe(false);
      } finally {
        next.child.kill('SIGTERM');
        await next.done;
      }
    });
  });

  test('routes the same events and makes the same files as on one machine, and its turns can be read as ever', async () => {
    const [here, away] = [makeProject(), makeProject()];
    await Promise.all([startWorker('one'), startWorker('two')]);
    const [local, remote] = await Promise.all([ralph(here, RUN), onFleet(away)]);
    expect([local.code, remote.code], remote.stdout + remote.stderr).toEqual([0, 0]);
    expect(readFileSync(join(away, 'out.txt'), 'utf8')).toBe('built with what nobody committed\nbuilt with what nobody committed\n');
    expect(readFileSync(join(away, 'out.txt'), 'utf8')).toBe(readFileSync(join(here, 'out.txt'), 'utf8'));
    expect(await listEvents(away)).toEqual(await listEvents(here));
    expect(foldRun(away)).toEqual(foldRun(here));
    const shown = await ralph(away, ['show', 'last', '1', '--output']);
    expect(shown.stdout).toContain('at work as builder');
    expect((await ralph(away, ['show', 'last', '1', '--diff'])).stdout).toContain('+built with what nobody committed');
  });

  test('has what agents committed on its workers as commits, one on the other, whichever worker made them', async () => {
    const agent = `#!/bin/sh
cat > /dev/null
echo work >> work.txt
git add work.txt
git -c user.name=Agent -c user.email=agent@example.org commit -qm "work $(wc -l < work.txt | tr -d ' ')"
[ "$(wc -l < work.txt)" -lt 4 ] || echo LOOP_COMPLETE
`;
    const config = 'cli: {backend: custom, command: ./agent.sh}\nevent_loop: {max_iterations: 6, checkpoint_interval: 0}\n';
    const folder = makeProject({ 'ralph.yml': config, 'agent.sh': agent });
    await Promise.all([startWorker('one'), startWorker('two')]);
    const { code, stdout, stderr } = await onFleet(folder);
    expect(code, stdout + stderr).toBe(0);
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
    expect(git('log', '--format=%an: %s')).toBe('Agent: work 4\nAgent: work 3\nAgent: work 2\nAgent: work 1\nUma: The beginning\n');
    expect(git('status', '--porcelain')).toBe('?? mine.txt\n');
    expect((await ralph(folder, ['show', 'last'])).stdout).toContain('work 4');
  });

  test('goes on with another worker when one is killed, and what the killed one left is ended by the next in its folder', async () => {
    const folder = makeProject({ slow: '5' });
    const workers = { one: await startWorker('one'), two: await startWorker('two') };
    const run = onFleet(folder);
    const holder = workers[(await waitForHolder()) as 'one' | 'two'];
    await pause(500);
    process.kill(holder.pid, 'SIGKILL');
    const { code, stdout } = await run;
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/the worker (one|two) was lost: it said nothing for \d+ s/);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
    await startWorker('three', holder.home);
    expect(execFileSync('sh', ['-c', 'ps -eo args | grep "[s]leep 5$" || true']).toString()).toBe('');
  });

  test('takes nothing from a worker that was frozen and wakes up again', async () => {
    const folder = makeProject({ slow: '2' });
    const frozen = await startWorker('frozen');
    const run = onFleet(folder);
    await waitForHolder();
    process.kill(frozen.pid, 'SIGSTOP');
    await startWorker('fresh');
    await pause(4500);
    process.kill(frozen.pid, 'SIGCONT');
    const { code, stdout } = await run;
    expect(code, stdout).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test.each([
    ['removed the folder that it works in', 'rm -rf "$PWD"'],
    ['removed the repository in it', 'rm -rf .git'],
    ['removed a part of the repository', 'rm .git/HEAD'],
    ['led git to other files', 'git config core.worktree "$around"'],
  ])('goes on after an agent that %s, and a repository around the folders of the worker stays as it is', async (_, deed) => {
    const folder = makeProject({ 'ralph.yml': CONFIG.replace('max_iterations: 12', 'max_iterations: 12, retry: {base_seconds: 0.1}') });
    const around = makeProject();
    const look = 'git rev-parse HEAD && git symbolic-ref HEAD && git for-each-ref && git status --porcelain -uall -- . ":!homes"';
    const gitState = (): string => execFileSync('sh', ['-c', look], { cwd: around }).toString();
    const before = gitState();
    const first = `around=${around}; if [ ! -e "$around/homes/once" ]; then : > "$around/homes/once"; ${deed}; fi`;
    writeFileSync(join(folder, 'agent.sh'), AGENT.replace('echo "at', `${first}\necho "at`));
    await startWorker('seventh', join(around, 'homes', 'worker'));
    const { code, stdout } = await onFleet(folder);
    expect(gitState()).toBe(before);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/the worker \w+ is in trouble/);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('is resumed after its own process was killed, with the worker still at work', async () => {
    const folder = makeProject({ slow: '4' });
    // One that was killed keeps its name for half a minute.
    await startWorker('four');
    const first = start(folder, [...RUN, '--fleet', server().url], env());
    await waitForHolder();
    await pause(700);
    first.child.kill('SIGKILL');
    await first.done;
    writeFileSync(join(folder, 'slow'), '0');
    const { code, stdout } = await ralph(folder, ['resume', '--no-tui'], env());
    expect(code, stdout).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').split('\n')).toHaveLength(3);
  });

  test('outlives its server', async () => {
    const folder = makeProject({ slow: '4' });
    await startWorker('five');
    const run = onFleet(folder);
    await waitForHolder();
    await server().kill();
    await pause(1000);
    await server().restart();
    const { code, stdout } = await run;
    expect(code, stdout).toBe(0);
  });

  test('stops at once where a person wants it, also the agent on its worker', async () => {
    const folder = makeProject({ slow: '97' });
    await startWorker('six');
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await run.says('at work as builder');
    const from = Date.now();
    run.child.kill('SIGINT');
    expect((await run.done).code).toBe(130);
    expect(Date.now() - from).toBeLessThan(12_000);
    await expect.poll(() => execFileSync('sh', ['-c', 'ps -eo args | grep "[s]leep 97" || true']).toString()).toBe('');
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  test('lets no secret of a worker travel: neither in what its agent says and publishes, nor in its logs', async () => {
    const secret = 'swordfish-9876543210';
    const agent = `#!/bin/sh
echo "the token is $SHOP_API_TOKEN, the fleet is at \${RALPH_FLEET:-nowhere}"
echo "$SHOP_API_TOKEN" >&2
ralph emit LOOP_COMPLETE "with $SHOP_API_TOKEN"
`;
    const folder = makeProject({ 'agent.sh': agent, 'ralph.yml': 'cli: {backend: custom, command: ./agent.sh}\n' });
    await startWorker('seven', undefined, { SHOP_API_TOKEN: secret });
    const { code, stdout } = await onFleet(folder);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('the token is [redacted: SHOP_API_TOKEN], the fleet is at nowhere');
    expect(execFileSync('grep', ['-rc', 'redacted: SHOP_API_TOKEN', join(folder, '.ralph', 'runs')]).toString()).toMatch(/stderr\.log:1/);
    expect(execFileSync('sh', ['-c', `grep -rl ${secret} ${join(folder, '.ralph')} || true`]).toString()).toBe('');
  });

  test('is refused where there is no server, no repository, or no commit', async () => {
    const folder = makeProject();
    expect(await ralph(folder, [...RUN, '--fleet', 'nats://127.0.0.1:1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no fleet at'),
    });
    expect(await ralph(folder, [...RUN, '--fleet', 'http://x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nats://host:4222'),
    });
    const plain = makeFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT });
    after(async () => rmSync(plain, { recursive: true, force: true }));
    const refused = await onFleet(plain);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a git repository with a commit') });
    expect(existsSync(join(plain, '.ralph', 'lock'))).toBe(false);
  });
});
