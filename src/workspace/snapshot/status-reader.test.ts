import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { Repository } from '../../git/contract.ts';
import { captureGitPrograms, findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createStatusReader } from './status-reader.ts';

afterAll(removeTestFolders);

const FILES = { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', '.gitignore': 'out/\n*.log\n' };
/** Longer than a tick of the clock. */
const SETTLED_MS = 80;

/** A reader, and how often it asked git for a status. */
async function openReader(folder: TestFolder) {
  const programs = await captureGitPrograms(folder.settings);
  const found = await findRepository({ ...folder.settings, programs });
  if (!found.ok) throw new Error(found.refused);
  const plain = found.value;
  let asked = 0;
  const git: Repository['git'] = (args, options) => {
    asked += args[0] === 'status' ? 1 : 0;
    return plain.git(args, options);
  };
  const read = createStatusReader({ ...plain, git });
  return {
    read,
    asked: () => asked,
    /** Reads, and compares with what git says. */
    check: async (): Promise<void> => expect(await read()).toEqual(await readStatus(plain)),
  };
}

describe('a status that is read again', () => {
  it('is not asked of git while nothing changes, whether that was just written or long ago', async () => {
    const folder = createTestRepository(FILES);
    folder.write('new.txt', 'n');
    const { check, asked } = await openReader(folder);
    for (let time = 0; time < 3; time += 1) await check();
    await pause(SETTLED_MS);
    for (let time = 0; time < 3; time += 1) await check();
    expect(asked()).toBe(1);
  });

  it('is not asked of git when a file changes that git does not know, or one that it ignores', async () => {
    const folder = createTestRepository(FILES);
    for (const name of ['new.txt', 'out/big.txt', 'one.log']) folder.write(name, 'n');
    const { check, asked } = await openReader(folder);
    await check();
    for (const name of ['new.txt', 'out/big.txt', 'out/more.txt', 'one.log']) folder.write(name, 'longer');
    await check();
    expect(asked()).toBe(1);
  });

  it.each<readonly [string, (folder: TestFolder) => void]>([
    ['a tracked file is written with as many bytes', ({ write }) => write('a.txt', 'ONE\n')],
    ['a tracked file is written and its time put back', touchBack],
    ['a file comes', ({ write }) => write('sub/new.txt', 'n')],
    ['a file comes into a new folder', ({ write }) => write('x/y/new.txt', 'n')],
    ['a file goes', ({ remove }) => remove('sub/b.txt')],
    ['a folder goes', ({ remove }) => remove('sub')],
    ['a file becomes a folder', ({ remove, write }) => void [remove('a.txt'), write('a.txt/in.txt', 'n')]],
    ['a file is renamed', ({ path }) => renameSync(join(path, 'a.txt'), join(path, 'z.txt'))],
    ['a file may be run', ({ makeExecutable }) => makeExecutable('a.txt')],
    ['a rule comes', ({ write }) => write('sub/.gitignore', 'b2.txt\n')],
    ['a rule goes', ({ write }) => write('.gitignore', '')],
    ['a rule comes that only git’s own folder knows', ({ write }) => write('.git/info/exclude', 'mine.txt\n')],
    ['a rule of the person comes', ({ home, path }) => writeRules(home, path)],
    [
      'the person names other rules',
      ({ git, home }) => void [writeFileSync(join(home, 'rules'), 'mine.txt\n'), git('config', 'core.excludesFile', '~/rules')],
    ],
    ['a file is staged', ({ write, git }) => void [write('a.txt', 'x'), git('add', 'a.txt')]],
    ['something is committed', ({ git }) => git('commit', '-q', '--allow-empty', '-m', 'x')],
    ['a branch is checked out', ({ git }) => git('checkout', '-qb', 'other')],
    ['HEAD is detached', ({ git }) => git('checkout', '-q', '--detach')],
    ['the branch’s file is packed', ({ git }) => void [git('pack-refs', '--all'), git('commit', '-q', '--allow-empty', '-m', 'x')]],
    [
      'git is told not to look at rights',
      ({ makeExecutable, git }) => void [makeExecutable('a.txt'), git('config', 'core.fileMode', 'false')],
    ],
    ['another repository comes', ({ path, git }) => void [mkdirSync(join(path, 'lib')), git('init', '-q', 'lib')]],
  ])('is asked of git when %s', async (_what, change) => {
    for (const waitMs of [0, SETTLED_MS]) {
      const folder = createTestRepository(FILES);
      folder.write('mine.txt', 'm');
      const { check } = await openReader(folder);
      await check();
      await pause(waitMs);
      await check();
      change(folder);
      await check();
      await check();
    }
  });

  it('is asked of git when rules change to which only a link leads', async () => {
    const folder = createTestRepository(FILES);
    writeFileSync(join(folder.home, 'kept-rules'), 'nothing\n');
    symlinkSync(join(folder.home, 'kept-rules'), join(folder.home, 'linked-rules'));
    folder.git('config', 'core.excludesFile', '~/linked-rules');
    folder.write('mine.txt', 'm');
    const { check } = await openReader(folder);
    await check();
    writeFileSync(join(folder.home, 'kept-rules'), 'mine.txt\n');
    await check();
  });

  it('is asked of git when a configuration changes to which only a link leads', async () => {
    const folder = createTestRepository(FILES);
    renameSync(join(folder.home, '.gitconfig'), join(folder.home, 'kept-config'));
    symlinkSync(join(folder.home, 'kept-config'), join(folder.home, '.gitconfig'));
    writeFileSync(join(folder.home, 'rules'), 'mine.txt\n');
    folder.write('mine.txt', 'm');
    const { check } = await openReader(folder);
    await check();
    folder.git('config', '-f', join(folder.home, 'kept-config'), 'core.excludesFile', '~/rules');
    await check();
  });

  it('does not stand still for a pipe that somebody has put in the place of the branch: only git waits for it, and can be ended', async () => {
    const folder = createTestRepository(FILES);
    const found = await findRepository({ ...folder.settings, programs: await captureGitPrograms(folder.settings) });
    if (!found.ok) throw new Error(found.refused);
    const git: Repository['git'] = async () => ({ ok: false, exitCode: null, stdout: '', problem: 'ended' });
    folder.remove('.git/refs/heads/main');
    execFileSync('mkfifo', [join(folder.path, '.git/refs/heads/main')]);
    await expect(createStatusReader({ ...found.value, git })()).rejects.toThrow('ended');
  });

  it('is asked of git where there are more files than it would look at', async () => {
    const folder = createTestRepository(FILES);
    for (let file = 0; file < 1001; file += 1) folder.write(`many/${file}.txt`, 'n');
    const { check, asked } = await openReader(folder);
    for (let time = 0; time < 5; time += 1) await check();
    expect(asked()).toBe(5);
    folder.remove('many');
    for (let time = 0; time < 25; time += 1) await check();
    expect(asked()).toBeLessThan(28);
  });

  it('passes over a folder that is ignored, however large, once git has told so', async () => {
    const folder = createTestRepository(FILES);
    for (let file = 0; file < 1001; file += 1) folder.write(`out/${file}.txt`, 'n');
    const { check, asked } = await openReader(folder);
    for (let time = 0; time < 4; time += 1) await check();
    expect(asked()).toBe(2);
  });

  it('is asked of git when a file comes into a folder that is not ignored any more', async () => {
    const folder = createTestRepository(FILES);
    folder.write('out/first.txt', 'n');
    const { check } = await openReader(folder);
    await check();
    folder.write('.gitignore', '*.log\n');
    await check();
    folder.write('out/second.txt', 'n');
    await check();
  });

  it('is asked of git where a tracked file lies in an ignored folder', async () => {
    const folder = createTestRepository({ ...FILES, 'out/kept.txt': 'k' });
    const { check } = await openReader(folder);
    await check();
    folder.write('out/kept.txt', 'other');
    await check();
  });

  it('is what git says, whatever happens', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(CHANGES, { minLength: 1, maxLength: 12 }), async (changes) => {
        const folder = createTestRepository(FILES);
        const { check } = await openReader(folder);
        for (const change of changes) {
          await makeChange(folder, change);
          await check();
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

function touchBack({ path, write }: TestFolder): void {
  const { atime, mtime } = statSync(join(path, 'a.txt'));
  write('a.txt', 'ONE\n');
  utimesSync(join(path, 'a.txt'), atime, mtime);
}

function writeRules(home: string, path: string): void {
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = Uma\nemail = uma@example.org\n');
  mkdirSync(join(home, '.config/git'), { recursive: true });
  writeFileSync(join(home, '.config/git/ignore'), 'mine.txt\n');
  writeFileSync(join(path, 'mine.txt'), 'm');
}

const NAMES = ['a.txt', 'sub/b.txt', 'new.txt', 'sub/new.txt', 'out/x.txt', 'one.log', 'sub/deep/c.txt', 'sub/deep'] as const;

const CHANGES = fc.oneof(
  fc.record({
    kind: fc.constantFrom('write', 'append', 'remove', 'run', 'add'),
    name: fc.constantFrom(...NAMES),
    text: fc.constantFrom('one\n', 'ONE\n', 'x'),
  }),
  fc.record({
    kind: fc.constant('ignore'),
    name: fc.constantFrom('.gitignore', 'sub/.gitignore', '.git/info/exclude'),
    text: fc.constantFrom('', 'new.txt\n', 'out/\n', '*\n!sub/\n'),
  }),
  fc.record({ kind: fc.constantFrom('commit', 'reset', 'wait', 'again', 'switch'), name: fc.constant(''), text: fc.constant('') }),
);

type Change = typeof CHANGES extends fc.Arbitrary<infer T> ? T : never;

async function makeChange({ path, git, write, remove }: TestFolder, { kind, name, text }: Change): Promise<void> {
  const file = join(path, name);
  // One kind of thing may stand in the place of another.
  const attempt = (act: () => unknown): void => {
    try {
      act();
    } catch {}
  };
  if (kind === 'write' || kind === 'ignore') attempt(() => write(name, text));
  if (kind === 'append') attempt(() => appendFileSync(file, text));
  if (kind === 'remove' && existsSync(file)) remove(name);
  if (kind === 'run') attempt(() => git('update-index', '--chmod=+x', name));
  if (kind === 'add') attempt(() => git('add', '-f', name));
  if (kind === 'commit') git('commit', '-qam', 'more', '--allow-empty');
  if (kind === 'reset') git('reset', '-q', '--hard');
  if (kind === 'switch') git('checkout', '-q', '--detach');
  if (kind === 'wait') await pause(SETTLED_MS);
}
