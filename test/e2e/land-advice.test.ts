/** What is said about landing, undoing and going on is what works at that moment. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

const BODY = 'echo changed > tracked.txt; echo LOOP_COMPLETE';
const FILES = { 'tracked.txt': 'old\n' };

async function withRun(config: string, body: string, use: (folder: string, runId: string) => Promise<void>): Promise<void> {
  await withPlace(toFiles(config, body, FILES), async (folder) => {
    makeRepository(folder);
    await ralph(folder, ['run', '-p', 'work', '--worktree', 'blue', '--no-tui']);
    await use(folder, readdirSync(join(folder, '.ralph/runs'))[0] ?? '');
  });
}

describe.concurrent('ralph land', () => {
  test('refuses a run that was undone, however often it is asked, and lands it once it is brought back', async () => {
    await withRun('', BODY, async (folder, runId) => {
      expect((await ralph(folder, ['undo', '--yes'])).code).toBe(0);
      const before = git(folder, 'for-each-ref', 'refs/heads');
      for (const args of [['land'], ['land', '--unfinished']]) {
        const refused = await ralph(folder, args);
        expect(refused.code, refused.stdout).toBe(1);
        expect(refused.stderr).toContain('you undid it');
        expect(refused.stderr).toContain(`ralph undo ${runId} --yes`);
      }
      expect(git(folder, 'for-each-ref', 'refs/heads')).toBe(before);
      expect((await ralph(folder, ['undo', runId, '--yes'])).code).toBe(0);
      expect((await ralph(folder, ['land'])).code).toBe(0);
      expect([git(folder, 'show', 'main:tracked.txt'), git(folder, 'rev-list', '--count', 'main')]).toEqual(['changed', '2']);
    });
  });

  test('of a run that used up its limit is offered by the review as it works, and refused with what goes on with it', async () => {
    await withRun('event_loop: { max_iterations: 1 }\n', 'echo half > half.txt', async (folder, runId) => {
      expect((await ralph(folder, ['review'])).stdout).toContain('`ralph land --unfinished`');
      const refused = await ralph(folder, ['land']);
      expect(refused.stderr).toMatch(new RegExp(`ralph resume ${runId} --max-iterations \\+\\d+`));
      const [command = ''] = /(?<=`?ralph )resume [^`\n]*--max-iterations \+\d+/.exec(refused.stderr) ?? [];
      expect((await ralph(folder, command.split(' '))).stderr).not.toContain('used up');
      expect((await ralph(folder, ['land', '--unfinished'])).code).toBe(0);
    });
  });

  test('with its worktree removed leaves nothing on offer that is gone: the review tells how to take it out again', async () => {
    await withRun('', BODY, async (folder) => {
      expect((await ralph(folder, ['land', '--clean'])).stdout).toContain('Its worktree and its branch were removed.');
      const review = (await ralph(folder, ['review'])).stdout;
      expect(review).not.toMatch(/ralph land|ralph undo/);
      expect(review).toMatch(/Where +its worktree blue is gone/);
      const [revert = ''] = /(?<=`git )revert [^`]*/.exec(review) ?? [];
      expect((await ralph(folder, ['land'])).stdout).not.toContain('Remove its worktree');
      git(folder, ...revert.split(' '));
      expect(git(folder, 'show', 'HEAD:tracked.txt')).toBe('old');
    });
  });

  test('`ralph undo` and `ralph pr` outside of git advise nothing that needs a repository', async () => {
    await withPlace(toFiles('', BODY, FILES), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'work', '-q'])).code).toBe(0);
      for (const command of ['land', 'pr', 'undo']) {
        const { code, stderr } = await ralph(folder, [command]);
        expect([command, code]).toEqual([command, 1]);
        expect(stderr).toMatch(/is in no git repository/);
        expect(stderr).not.toMatch(/git (status|diff|switch|push)|ralph undo|\(or any of the parent/);
        expect(stderr).toMatch(/ralph show \S+\n.*git init, git add, git commit\. Then: ralph run --worktree NAME/);
      }
      expect((await ralph(folder, ['review'])).stdout).not.toMatch(/ralph (land|undo)/);
    });
  });
});
