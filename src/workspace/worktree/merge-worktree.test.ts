import { afterAll, expect, it } from 'vitest';
import { createPlainFolder, createTestRepository, removeTestFolders } from '../repository-fixtures.ts';
import { createWorktree } from './create-worktree.ts';
import { mergeWorktree } from './worktrees.ts';

afterAll(removeTestFolders);

it('a merge into files with changes that are not committed names them, some of many, and changes nothing', async () => {
  const repo = createTestRepository({ 'mine.txt': 'old\n', 'other.txt': 'old\n' });
  const settings = { ...repo.settings, stateDir: '.ralph', findBaseline: () => null };
  const { path } = await createWorktree({ ...settings, name: 'blue', links: [], reuse: false });
  const inside = createPlainFolder({ path });
  const names = ['mine.txt', ...[1, 2, 3, 4, 5, 6].map((number) => `new ${number}.txt`)];
  for (const name of names) {
    inside.write(name, 'theirs\n');
    repo.write(name, 'mine\n');
  }
  repo.write('other.txt', 'mine\n');
  inside.git('add', '.');
  inside.git('commit', '--quiet', '--message', 'work');
  await expect(mergeWorktree(settings, 'blue')).rejects.toMatchObject({
    code: 'worktree-dirty',
    message: expect.stringMatching(/not committed: mine\.txt, new 1\.txt, .*, and 2 more\. Nothing was merged\.$/),
    fix: 'Commit or stash them first, then: ralph worktrees merge blue',
  });
  expect(names.map((name) => repo.read(name))).toEqual(names.map(() => 'mine\n'));
});
