import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { findRepository } from '../git/repository.ts';
import { createManifestReader, listApart, packFiles, readTreeManifest } from './folder-manifest.ts';
import { createTestRepository, removeFolders } from './place-tree-fixtures.ts';

afterEach(removeFolders);

const FILES = { 'a.txt': 'a\n', 'src/b.ts': 'b\n', 'run.sh': 'echo\n', '.env': 'KEY=1\n', 'node_modules/x/i.js': 'x\n' };

async function setUp() {
  const { path, git, settings } = createTestRepository(FILES);
  const found = await findRepository({ ...settings, stateDirs: ['.ralph'] });
  if (!found.ok) throw new Error(found.refused);
  return { path, git, tree: await readTreeManifest(found.value, 'HEAD^{tree}', ['.ralph']) };
}

test('a folder that shows a tree has the manifest of the tree, in both without what is nobody’s work', async () => {
  const { path, tree } = await setUp();
  expect([...tree.keys()].sort()).toEqual(['a.txt', 'run.sh', 'src/b.ts']);
  expect(listApart(tree, await createManifestReader()(path, ['.ralph']))).toEqual([]);
});

test('what differs is found by what is in the files: content, rights, links, what is new and what is gone', async () => {
  const { path, tree } = await setUp();
  const read = createManifestReader();
  await read(path, []);
  writeFileSync(join(path, 'a.txt'), 'b\n');
  chmodSync(join(path, 'run.sh'), 0o755);
  rmSync(join(path, 'src'), { recursive: true });
  writeFileSync(join(path, 'src'), 'a file now\n');
  mkdirSync(join(path, 'new'));
  symlinkSync('../a.txt', join(path, 'new', 'link'));
  const apart = listApart(tree, await read(path, []));
  expect(apart).toEqual(['a.txt', 'new/link', 'run.sh', 'src', 'src/b.ts']);
  const changes = await packFiles(createMemoryFleet().blobs, path, apart, tree);
  expect(changes.map((change) => [change.path, change.mode, 'isNew' in change && change.isNew])).toEqual([
    ['a.txt', '100644', false],
    ['new/link', '120000', true],
    ['run.sh', '100755', false],
    ['src', '100644', true],
    ['src/b.ts', null, false],
  ]);
});

test('more files than may travel are refused before they are read', async () => {
  const { path, tree } = await setUp();
  const many = Array.from({ length: 20_001 }, (_, index) => `${index}.txt`);
  await expect(packFiles(createMemoryFleet().blobs, path, many, tree)).rejects.toMatchObject({ code: 'fleet-too-large' });
});

test('a file that is larger than what may be in memory is looked at piece by piece, and refused before it is read', async () => {
  const { path, tree } = await setUp();
  writeFileSync(join(path, 'huge.bin'), '');
  truncateSync(join(path, 'huge.bin'), 2 ** 31 + 1);
  const manifest = await createManifestReader()(path, ['.ralph']);
  expect(listApart(tree, manifest)).toEqual(['huge.bin']);
  expect(manifest.get('huge.bin')).toMatch(/^100644 [0-9a-f]{40}$/);
  await expect(packFiles(createMemoryFleet().blobs, path, ['huge.bin'], tree)).rejects.toMatchObject({ code: 'fleet-too-large' });
}, 60_000);

test('a large file has the name that git gives it', async () => {
  const { path, git } = await setUp();
  writeFileSync(join(path, 'large.bin'), 'large\n'.repeat(300_000));
  const manifest = await createManifestReader()(path, ['.ralph']);
  expect(manifest.get('large.bin')).toBe(`100644 ${git('hash-object', 'large.bin').trim()}`);
});
