import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, readJsonLines, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

const WAITING = 'touch "at-$RALPH_ITERATION"; while [ ! -e go ]; do sleep 0.05; done; echo LOOP_COMPLETE';

describe.concurrent('what a run leaves', () => {
  test('`clean` ends what a dead run left running before it removes the run, so nothing is left that nobody could find', async () => {
    await withPlace(toFiles('', WAITING), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '--no-tui']);
      await until('the turn', () => existsSync(join(folder, 'at-1')));
      run.child.kill('SIGKILL');
      await run.done;
      expect(findProcesses(folder)).not.toEqual([]);
      expect((await ralph(folder, ['clean', '--keep', '0'])).code).toBe(0);
      await until('the end of its processes', () => findProcesses(folder).length === 0);
      expect(readJsonLines((await ralph(folder, ['ps', '--format', 'json'])).stdout)).toEqual([]);
    });
  });

  test('a turn that said nothing but an error on its standard error is shown by `show --output`', async () => {
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', 'echo "my key is missing" >&2; exit 4'), async (folder) => {
      await ralph(folder, ['run', '-p', 'x', '-q']);
      expect((await ralph(folder, ['show', '1', '--output'])).stdout).toContain('my key is missing');
    });
  });
});

describe.concurrent('a run in a worktree and one beside it', () => {
  test('a second run that is started inside of the worktree is refused', async () => {
    await withPlace(toFiles('', WAITING), async (folder) => {
      makeRepository(folder);
      const tree = join(folder, '.ralph/worktrees/blue');
      const run = start(folder, ['run', '-p', 'x', '--no-tui', '--worktree', 'blue']);
      await until('the turn', () => existsSync(join(tree, 'at-1')));
      const second = await ralph(tree, ['run', '-c', join(folder, 'ralph.yml'), '-p', 'y', '--no-tui']);
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(/^ralph: Run \S+ \(process \d+, started [\d.]+ m?s ago\) is under way in this folder\.$/m);
      run.child.kill('SIGINT');
      expect((await run.done).stdout).toContain('The work is in .ralph/worktrees/blue');
    });
  });

  test('`stop` without an id stops the one that works where it is called', async () => {
    await withPlace(toFiles('', WAITING), async (folder) => {
      makeRepository(folder);
      const tree = join(folder, '.ralph/worktrees/blue');
      const main = start(folder, ['run', '-p', 'x', '--no-tui']);
      await until('the main turn', () => existsSync(join(folder, 'at-1')));
      const mainRun = (await readStatus(folder)).runId;
      const other = start(folder, ['run', '-p', 'x', '--no-tui', '--worktree', 'blue']);
      await until('the other turn', () => existsSync(join(tree, 'at-1')));
      expect((await ralph(folder, ['stop', '--now'])).stdout).toContain(mainRun);
      expect((await main.done).code).toBe(130);
      expect(other.child.exitCode).toBeNull();
      expect((await ralph(tree, ['stop', '--now'])).code).toBe(0);
      expect((await other.done).code).toBe(130);
    });
  });
});
