/** What is mounted somewhere is not of the folder that it is mounted in. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph } from './ralph.ts';

const APART = ['--user', '--map-root-user', '--mount'];
const canMount = spawnSync('unshare', [...APART, 'mount', '-t', 'tmpfs', 'none', '/tmp']).status === 0;

/** Calls Ralph where one folder is mounted on another. */
function withMount(folder: string, from: string, to: string, args: readonly string[]) {
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  const words = [...APART, 'sh', '-c', script, 'sh', from, to, process.execPath, RALPH, ...args];
  return spawnSync('unshare', words, { cwd: folder, env: plainEnvironment(), encoding: 'utf8', timeout: 60_000 });
}

describe.skipIf(!canMount)('what is mounted in a worktree', () => {
  test('stays, with the worktree, and is named by what would have removed both', async () => {
    const body = 'echo made > made.txt; echo LOOP_COMPLETE';
    await withPlace(toFiles('', body, { '.gitignore': 'node_modules\nprecious\n' }), async (folder) => {
      makeRepository(folder);
      const run = await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue', '-q']);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      const [precious, inside] = [join(folder, 'precious'), join(folder, '.ralph/worktrees/blue/node_modules')];
      for (const path of [precious, inside]) mkdirSync(path);
      writeFileSync(join(precious, 'mine.txt'), 'mine\n');
      const fix = `sudo umount '?${inside}'?`;
      for (const args of [
        ['land', '--clean'],
        ['worktrees', 'remove', 'blue', '--force'],
        ['clean', '--keep', '0'],
      ]) {
        const { stdout, stderr } = withMount(folder, precious, inside, args);
        expect([args, stdout + stderr]).toEqual([args, expect.stringMatching(/The worktree blue stays: something is mounted in it/)]);
        if (args[0] !== 'land') expect(stdout + stderr).toMatch(new RegExp(fix));
        expect([readFileSync(join(precious, 'mine.txt'), 'utf8'), existsSync(join(inside, '../made.txt'))]).toEqual(['mine\n', true]);
      }
      expect((await ralph(folder, ['worktrees', 'remove', 'blue'])).code).toBe(0);
    });
  });

  test('or in the folder of a run stays with it', async () => {
    await withPlace(toFiles('', 'echo LOOP_COMPLETE'), async (folder) => {
      await ralph(folder, ['run', '-p', 'work', '-q']);
      const { runId } = JSON.parse((await ralph(folder, ['status', '--format', 'json'])).stdout);
      const [precious, inside] = [join(folder, 'precious'), join(folder, '.ralph/runs', runId, 'turns')];
      mkdirSync(precious);
      writeFileSync(join(precious, 'mine.txt'), 'mine\n');
      const { stdout, stderr, status } = withMount(folder, precious, inside, ['clean', '--keep', '0']);
      expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(/sudo umount/)]);
      expect(readFileSync(join(precious, 'mine.txt'), 'utf8')).toBe('mine\n');
    });
  });
});
