import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { packObjects } from '../../git/objects.ts';
import { findRepository } from '../../git/repository.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { openLanding } from './landing.ts';

afterAll(removeTestFolders);

function toFile(folder: TestFolder, id: string): string {
  return join(folder.path, '.git/objects', id.slice(0, 2), id.slice(2));
}

async function pack({ settings }: TestFolder): Promise<void> {
  const search = await findRepository(settings);
  if (!search.ok) throw new Error(search.refused);
  await packObjects(search.value);
}

/** What an agent can do that may write loose objects. */
function replace(folder: TestFolder, id: string, text: string): void {
  const file = toFile(folder, id);
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) chmodSync(file, 0o600);
  writeFileSync(file, deflateSync(Buffer.from(`blob ${text.length}\0${text}`)));
}

it('what was packed cannot be replaced by a loose object: commits, the stash, the index', async () => {
  const folder = createTestRepository({ 'a.txt': 'the truth\n' });
  folder.write('a.txt', 'stashed\n');
  folder.git('stash', '--quiet');
  folder.write('b.txt', 'staged\n');
  folder.git('add', 'b.txt');
  const ids = ['main:a.txt', 'stash@{0}:a.txt', ':b.txt'].map((name) => folder.git('rev-parse', name).trim());
  const texts = (): readonly string[] => ids.map((id) => folder.git('cat-file', 'blob', id));
  await pack(folder);
  const before = texts();
  expect(before).toEqual(['the truth\n', 'stashed\n', 'staged\n']);
  for (const id of ids) {
    expect(existsSync(toFile(folder, id))).toBe(false);
    replace(folder, id, 'a lie\n');
  }
  expect(texts()).toEqual(before);
  expect(folder.git('status', '--porcelain')).toBe('A  b.txt\n');
  // A second time there is nothing to do.
  await pack(folder);
  expect(texts()).toEqual(before);
});

it.each(['ralph/blue', 'main'])('nothing is landed where an object of %s does not hold what its name says', async (branch) => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  folder.git('checkout', '--quiet', '-b', 'ralph/blue');
  folder.write('b.txt', 'run\n');
  folder.git('add', 'b.txt');
  folder.git('commit', '--quiet', '--message', 'work');
  folder.git('checkout', '--quiet', 'main');
  folder.write('c.txt', 'mine\n');
  folder.git('add', 'c.txt');
  folder.git('commit', '--quiet', '--message', 'mine');
  const landing = async () =>
    (await openLanding({ ...folder.settings, stateDir: '.ralph', runId: 'run-1', branch: 'ralph/blue', onto: 'main', links: [] })).mergeIn(
      { subject: 'Merge', isSquashed: false },
      async ({ isMerged }) => isMerged,
    );
  expect(await landing()).toBe(true);
  replace(folder, folder.git('rev-parse', branch === 'main' ? 'main:c.txt' : 'ralph/blue:b.txt').trim(), 'lie\n');
  await expect(landing()).rejects.toMatchObject({
    message: expect.stringMatching(/^git object [0-9a-f]{40} is corrupt or was replaced$/),
    fix: expect.stringContaining('git fsck'),
  });
});

it('what was replaced is not packed: git would take it for true from then on', async () => {
  const folder = createTestRepository({ 'a.txt': 'the truth\n' });
  replace(folder, folder.git('rev-parse', 'main:a.txt').trim(), 'a lie\n');
  await expect(pack(folder)).rejects.toMatchObject({ message: expect.stringContaining('is corrupt or was replaced') });
  expect(folder.git('count-objects', '-v')).toMatch(/^packs: 0$/m);
});
