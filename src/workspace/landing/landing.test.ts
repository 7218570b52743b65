import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { openLanding } from './landing.ts';

afterAll(removeTestFolders);

async function open(folder: TestFolder, onto: string | null = 'main') {
  return openLanding({ ...folder.settings, stateDir: '.ralph', runId: 'run-1', branch: 'ralph/blue', onto, links: [] });
}

function create(): { readonly folder: TestFolder; readonly move: { branch: string; from: string; to: string } } {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  const from = folder.git('rev-parse', 'main').trim();
  folder.git('checkout', '--quiet', '-b', 'ralph/blue');
  folder.write('a.txt', 'b\n');
  folder.git('commit', '--quiet', '--all', '--message', 'work');
  folder.git('checkout', '--quiet', 'main');
  return { folder, move: { branch: 'main', from, to: folder.git('rev-parse', 'ralph/blue').trim() } };
}

it('a landing on a branch that is not there is mended by one that is', async () => {
  const { folder } = create();
  await expect(open(folder, 'nowhere')).rejects.toMatchObject({
    message: 'there is no branch "nowhere"',
    fix: expect.stringContaining('--onto'),
  });
});

it('a landing where a rebase waits is mended by its end', async () => {
  const { folder, move } = create();
  writeFileSync(join(folder.path, '.git/REVERT_HEAD'), `${move.to}\n`);
  const landing = await open(folder);
  await expect(landing.listOverwritten(move)).rejects.toMatchObject({
    message: `a revert is under way in ${folder.path}`,
    fix: `End it there; what it is: git -C '${folder.path}' status`,
  });
});

it('a landing on a branch that was moved meanwhile is mended by another try', async () => {
  const { folder, move } = create();
  const landing = await open(folder);
  folder.git('commit', '--quiet', '--allow-empty', '--message', 'mine');
  await expect(landing.move(move)).rejects.toMatchObject({
    message: 'main was moved meanwhile',
    fix: 'The next try begins with what is there now.',
  });
});
