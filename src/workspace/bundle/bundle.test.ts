import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findRepository } from '../../git/repository.ts';
import { createTestRepository, removeTestFolders } from '../repository-fixtures.ts';
import { bringWork } from './bundle.ts';

afterAll(removeTestFolders);

/** A folder as a run left it, and two trees: what it was like then, and what became of it elsewhere. */
async function setUp() {
  const repo = createTestRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' });
  const before = repo.git('rev-parse', 'HEAD').trim();
  repo.write('a.txt', 'a of the run\n');
  repo.write('new.txt', 'new\n');
  repo.git('rm', '-q', 'sub/c.txt');
  repo.git('add', '-A');
  const after = repo.git('write-tree').trim();
  repo.git('reset', '-q', '--hard', 'HEAD');
  const found = await findRepository({ cwd: repo.path, env: process.env, stateDirs: ['.ralph'] });
  if (!found.ok) throw new Error(found.refused);
  const repository = found.value;
  const indexFile = join(repo.path, '.git', 'home.index');
  const bring = (isCutOff = false, between: readonly string[] = []) =>
    bringWork(repository, { before, after, indexFile, isCutOff, between });
  return { repo, bring };
}

describe('what a run changed elsewhere', () => {
  test('is written where nobody touched it, and what a person changed beside it stays', async () => {
    const { repo, bring } = await setUp();
    repo.write('b.txt', 'b of a person\n');
    repo.write('mine.txt', 'mine\n');
    expect(await bring()).toEqual([]);
    const read = (name: string): string => readFileSync(join(repo.path, name), 'utf8');
    expect([read('a.txt'), read('b.txt'), read('new.txt'), read('mine.txt')]).toEqual([
      'a of the run\n',
      'b of a person\n',
      'new\n',
      'mine\n',
    ]);
    expect(() => read('sub/c.txt')).toThrow('ENOENT');
    // Once more: it is there already.
    expect(await bring()).toEqual([]);
  });

  test('takes a file for the run’s own that is as in a tree in between', async () => {
    const { repo, bring } = await setUp();
    repo.write('a.txt', 'a in between\n');
    repo.git('add', 'a.txt');
    const between = repo.git('write-tree').trim();
    repo.git('reset', '-q');
    expect(await bring()).toEqual(['a.txt']);
    expect(await bring(false, [between])).toEqual([]);
    expect(readFileSync(join(repo.path, 'a.txt'), 'utf8')).toBe('a of the run\n');
  });

  test('takes no folder away that a person made where a file is to be', async () => {
    const { repo, bring } = await setUp();
    repo.write('new.txt/precious', 'precious\n');
    expect(await bring()).toEqual(['new.txt']);
    expect(readFileSync(join(repo.path, 'new.txt/precious'), 'utf8')).toBe('precious\n');
  });

  test('goes through no link that a person put in the way', async () => {
    const { repo, bring } = await setUp();
    const elsewhere = createTestRepository({ 'c.txt': 'precious\n' });
    repo.git('rm', '-rq', 'sub');
    symlinkSync(elsewhere.path, join(repo.path, 'sub'));
    await bring();
    expect(readFileSync(join(elsewhere.path, 'c.txt'), 'utf8')).toBe('precious\n');
  });

  test('is taken up after it was cut off: what is missing then was being written', async () => {
    const { repo, bring } = await setUp();
    rmSync(join(repo.path, 'a.txt'));
    expect(await bring()).toEqual(['a.txt']);
    expect(await bring(true)).toEqual([]);
    expect(readFileSync(join(repo.path, 'a.txt'), 'utf8')).toBe('a of the run\n');
  });

  test('is not written at all where a person changed, made or removed one of the same files', async () => {
    for (const [name, text] of [
      ['a.txt', 'a of a person\n'],
      ['new.txt', 'new of a person\n'],
      ['sub/c.txt', 'c of a person\n'],
    ] as const) {
      const { repo, bring } = await setUp();
      repo.write(name, text);
      expect(await bring()).toEqual([name]);
      expect(readFileSync(join(repo.path, name), 'utf8')).toBe(text);
      if (name !== 'a.txt') expect(readFileSync(join(repo.path, 'a.txt'), 'utf8')).toBe('a\n');
    }
  });
});
