import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { until } from './run-facts.ts';

const WAITS = 'touch here; until [ -f go ]; do sleep 0.05; done; echo "said at the end"; echo LOOP_COMPLETE';

describe.concurrent('a detached run', () => {
  test('goes on when the command that began it has ended, and can be seen and stopped', async () => {
    await withPlace(toFiles('', WAITS), async (folder) => {
      const begun = await ralph(folder, ['run', '--detach', '-p', 'work']);
      expect(begun.code, begun.stderr).toBe(0);
      const runId = /\d{8}-\d{6}-\w+/.exec(begun.stdout)?.[0] ?? 'none';
      await until('the agent to be at work', () => existsSync(join(folder, 'here')));
      const [run] = readJsonLines<{ runId: string; status: string }>((await ralph(folder, ['runs', '--format', 'json'])).stdout);
      expect(run).toMatchObject({ runId, status: 'running' });
      writeFileSync(join(folder, 'go'), '');
      const end = async () =>
        readJsonLines<{ reason: string | null }>((await ralph(folder, ['runs', '--format', 'json'])).stdout)[0]?.reason;
      let reason: string | null | undefined = null;
      while (reason === null) reason = await end();
      expect(reason).toBe('completed');
      expect(existsSync(join(folder, '.ralph/runs', runId, 'output.log'))).toBe(true);
    });
  });

  test('that cannot begin says why, and the exit code is that of the run', async () => {
    await withPlace(toFiles('hats: {}\n', WAITS), async (folder) => {
      const { code, stderr } = await ralph(folder, ['run', '--detach', '-p', 'work']);
      expect(code).toBe(1);
      expect(stderr).toContain('Hat collection is empty.');
    });
  });

  test('beside one that is under way is refused, and what that one prints is kept', async () => {
    await withPlace(toFiles('', WAITS), async (folder) => {
      const runId = /\d{8}-\d{6}-\w+/.exec((await ralph(folder, ['run', '--detach', '-p', 'work'])).stdout)?.[0] ?? 'none';
      await until('the agent to be at work', () => existsSync(join(folder, 'here')));
      const second = await ralph(folder, ['run', '--detach', '-p', 'other work']);
      writeFileSync(join(folder, 'go'), '');
      const log = join(folder, '.ralph/runs', runId, 'output.log');
      await until('the run to end', () => !existsSync(join(folder, '.ralph/runs', runId, 'lock')));
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('is under way in this folder')]);
      expect(readFileSync(log, 'utf8')).toContain('said at the end');
    });
  });

  test.each([
    ['a token that could be guessed', {}, ['-p', 'work'], { RALPH_TOKEN: 'x' }],
    ['a configuration with an error', { 'ralph.yml': 'hats: {}\n' }, ['-p', 'work'], {}],
    ['an option that is wrong', {}, ['-p', 'work', '--max-iterations', 'many'], {}],
    ['a prompt file that is not there', {}, ['-P', 'missing.md'], {}],
  ] as const)('refused for %s says what it says without --detach, and leaves nothing', async (_, files, args, env) => {
    await withPlace({ ...toFiles('', WAITS), ...files }, async (folder) => {
      const plain = await ralph(folder, ['run', ...args], env);
      const detached = await ralph(folder, ['run', '--detach', ...args], env);
      expect([detached.code, detached.stderr, detached.stdout]).toEqual([plain.code, plain.stderr, '']);
      expect(readdirSync(folder).sort()).toEqual(Object.keys({ ...toFiles('', WAITS), ...files }).sort());
    });
  });

  test('whose process dies before the run has begun is told, with how it ended', async () => {
    const dies = 'console.log("last words"); process.kill(process.pid, "SIGKILL");\n';
    await withPlace(toFiles('tools: { plugins: { dies: ./dies.mjs } }\n', WAITS, { 'dies.mjs': dies }), async (folder) => {
      const { code, stderr } = await ralph(folder, ['run', '--detach', '-p', 'work']);
      expect(code).toBe(1);
      expect(stderr).toContain('SIGKILL');
      expect(stderr).toContain('last words');
    });
  });

  test('goes on when the system says that its terminal is closed', async () => {
    await withPlace(toFiles('', WAITS), async (folder) => {
      const begun = await ralph(folder, ['run', '--detach', '-p', 'work']);
      const [, runId = '', pid = ''] = /Run (\S+) is under way \(process (\d+)\)/.exec(begun.stdout) ?? [];
      await until('the agent to be at work', () => existsSync(join(folder, 'here')));
      process.kill(-Number(pid), 'SIGHUP');
      writeFileSync(join(folder, 'go'), '');
      await until('the run to end', () => !existsSync(join(folder, '.ralph/runs', runId, 'lock')));
      const [run] = readJsonLines<{ reason: string }>((await ralph(folder, ['runs', '--format', 'json'])).stdout);
      expect(run?.reason).toBe('completed');
    });
  });

  test('takes its task from standard input, and tells its agents nothing of how it was begun', async () => {
    await withPlace(toFiles('', 'env > seen; printf "%s" "$prompt" > asked; echo LOOP_COMPLETE'), async (folder) => {
      const begun = start(folder, ['run', '--detach', '-P', '-'], {}, 'a task from a pipe');
      expect((await begun.done).code).toBe(0);
      await until('the run to end', () => existsSync(join(folder, 'asked')));
      expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain('a task from a pipe');
      expect(readFileSync(join(folder, 'seen'), 'utf8')).not.toMatch(/RALPH_DETACHED|NODE_CHANNEL/);
    });
  });
});

describe.concurrent('the runs of all folders', () => {
  test('are listed with their folder, and a folder that is gone is left out', async () => {
    const env = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'ralph-state-')) };
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (one) => {
      await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (two) => {
        expect((await ralph(one, ['run', '-p', 'first'], env)).code).toBe(0);
        expect((await ralph(two, ['run', '-p', 'second'], env)).code).toBe(0);
        const all = readJsonLines<{ objective: string; root: string }>(
          (await ralph(one, ['runs', '--all', '--format', 'json'], env)).stdout,
        );
        expect(all.map(({ objective, root }) => [objective, root])).toEqual([
          ['second', two],
          ['first', one],
        ]);
        expect((await ralph(one, ['runs', '--format', 'json'], env)).stdout).not.toContain('second');
      });
      const left = readJsonLines<{ root: string }>((await ralph(one, ['runs', '--all', '--format', 'json'], env)).stdout);
      expect(left.map(({ root }) => root)).toEqual([one]);
    });
  });
});
