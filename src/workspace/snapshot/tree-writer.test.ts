import { appendFileSync, chmodSync, existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { Git } from '../../git/contract.ts';
import { captureGitPrograms, findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { changeIndex, readTree, toIndexChange, writeTree } from '../../git/trees.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createTreeWriter } from './tree-writer.ts';

afterAll(removeTestFolders);

/** Longer than a tick of the clock. */
const SETTLED_MS = 80;

const FILES = { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', 'sub/deep/c.txt': 'three\n', 'sub.txt': 'four\n' };

/** Stores the same working tree in both ways. */
async function openBoth(folder: TestFolder) {
  const programs = await captureGitPrograms(folder.settings);
  const found = await findRepository({ ...folder.settings, programs });
  if (!found.ok) throw new Error(found.refused);
  const repository = found.value;
  const asked: string[] = [];
  const git: Git = (args, options) => {
    asked.push(args[0] ?? '');
    return repository.git(args, options);
  };
  const writer = createTreeWriter({ ...repository, git }, folder.env);
  const index = { indexFile: join(folder.home, 'other.index') };
  return {
    asked,
    own: async (): Promise<string | null> => {
      const { head, entries } = await readStatus(repository);
      return writer.write(head, entries);
    },
    gits: async (): Promise<string> => {
      const { head, entries } = await readStatus(repository);
      await readTree(repository.git, index, head);
      await changeIndex(repository.git, toIndexChange(entries), index);
      return writeTree(repository.git, index);
    },
  };
}

describe('a tree that is written without a process', () => {
  it('is the tree that git writes, with objects that git finds in order, and git is asked once for a commit', async () => {
    const folder = createTestRepository(FILES);
    const { own, gits, asked } = await openBoth(folder);
    folder.write('a.txt', 'other\n');
    folder.write('sub/new/deep.txt', 'n');
    folder.remove('sub/deep');
    const tree = await own();
    folder.git('fsck', '--strict');
    expect(folder.git('ls-tree', '-r', '--name-only', tree ?? '')).toBe('a.txt\nsub.txt\nsub/b.txt\nsub/new/deep.txt\n');
    expect(await gits()).toBe(tree);
    expect(await own()).toBe(tree);
    expect(asked).toEqual(['ls-tree']);
    folder.git('commit', '-qam', 'more');
    expect(await own()).toBe(await gits());
    expect(asked).toEqual(['ls-tree', 'ls-tree']);
  });

  it('is whole when git’s own clean-up took what was stored before', async () => {
    const folder = createTestRepository(FILES);
    const { own } = await openBoth(folder);
    folder.write('a.txt', 'other\n');
    await pause(SETTLED_MS);
    await own();
    folder.git('gc', '--prune=now', '--quiet');
    folder.write('sub.txt', 'more\n');
    folder.git('update-ref', 'refs/kept', (await own()) ?? '');
    folder.git('fsck', '--strict');
  });

  it.each<readonly [string, (folder: TestFolder) => void]>([
    [
      'attributes are in the commit',
      ({ write, git }) => void [write('.gitattributes', '* text\n'), git('add', '.'), git('commit', '-qm', 'x')],
    ],
    ['attributes lie in the folder, unknown to git', ({ write }) => write('sub/.gitattributes', '*.txt text\n')],
    [
      'attributes lie in git’s own folder',
      ({ path }) =>
        void [mkdirSync(join(path, '.git/info'), { recursive: true }), writeFileSync(join(path, '.git/info/attributes'), '* text\n')],
    ],
    [
      'the person has attributes',
      ({ home }) =>
        void [mkdirSync(join(home, '.config/git'), { recursive: true }), writeFileSync(join(home, '.config/git/attributes'), '* text\n')],
    ],
    ['line ends are converted', ({ git }) => git('config', 'core.autocrlf', 'input')],
    ['rights are not looked at', ({ git }) => git('config', 'core.fileMode', 'false')],
    ['links are files', ({ git }) => git('config', 'core.symlinks', 'false')],
    ['a file is large', ({ path, write }) => void [write('sub/large', ''), truncateSync(join(path, 'sub/large'), 9 << 20)]],
  ])('is left to git where %s', async (_where, prepare) => {
    const folder = createTestRepository(FILES);
    const { own } = await openBoth(folder);
    folder.write('sub/b.txt', 'with\r\n');
    expect(await own()).not.toBeNull();
    prepare(folder);
    expect(await own()).toBeNull();
  });

  it('is left to git where that does not see what became of a folder', async () => {
    const folder = createTestRepository(FILES);
    const { own } = await openBoth(folder);
    folder.remove('sub');
    // Git takes what lies behind a link that leads nowhere but to itself for unchanged.
    folder.link('sub', 'sub');
    expect(await own()).toBeNull();
  });

  it('is left to git before the first commit, and where nobody said which programs it may run', async () => {
    const folder = createTestRepository(FILES);
    const found = await findRepository(folder.settings);
    if (!found.ok) throw new Error(found.refused);
    const { head, entries } = await readStatus(found.value);
    expect(await createTreeWriter(found.value, folder.env).write(head, entries)).toBeNull();
    const { own } = await openBoth(folder);
    folder.git('checkout', '-q', '--orphan', 'empty');
    expect(await own()).toBeNull();
  });

  it('is the tree that git writes, whatever was done to the files', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(CHANGES, { minLength: 1, maxLength: 10 }), async (changes) => {
        const folder = createTestRepository(FILES);
        const { own, gits } = await openBoth(folder);
        for (const change of changes) {
          makeChange(folder, change);
          const tree = await own();
          expect(tree).not.toBeNull();
          expect(tree).toBe(await gits());
        }
        folder.git('fsck', '--strict');
      }),
      { numRuns: propertyRuns(200) },
    );
  }, 600_000);
});

const NAMES = ['a.txt', 'sub', 'sub/b.txt', 'sub.txt', 'sub/deep', 'sub/deep/c.txt', 'sub-x', 'z/y/x', 'naïve name'] as const;
const CHANGES = fc.record({
  kind: fc.constantFrom('write', 'write', 'append', 'remove', 'link', 'run', 'add', 'uncache', 'commit'),
  name: fc.constantFrom(...NAMES),
  text: fc.constantFrom('one\n', 'ONE\n', ''),
});

function makeChange(
  { path, git, write, remove }: TestFolder,
  { kind, name, text }: typeof CHANGES extends fc.Arbitrary<infer T> ? T : never,
): void {
  const file = join(path, name);
  // One kind of thing may stand in the place of another.
  const attempt = (act: () => unknown): void => {
    try {
      act();
    } catch {}
  };
  if (kind === 'write' || kind === 'link') {
    if (existsSync(file)) remove(name);
    attempt(() => (kind === 'write' ? write(name, text) : symlinkSync('nowhere', file)));
  }
  if (kind === 'append') attempt(() => appendFileSync(file, text));
  if (kind === 'remove' && existsSync(file)) remove(name);
  if (kind === 'run') attempt(() => chmodSync(file, 0o755));
  if (kind === 'add') attempt(() => git('add', '-A', name));
  if (kind === 'uncache') attempt(() => git('rm', '-rq', '--cached', name));
  if (kind === 'commit') attempt(() => git('commit', '-qam', 'more'));
}
