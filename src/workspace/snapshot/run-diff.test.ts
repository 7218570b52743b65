import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';

afterAll(removeTestFolders);

/** One turn after the other; each does something. */
async function play(repo: TestFolder, turns: readonly (() => void)[], between: () => void = () => undefined) {
  const workspace = repo.workspace(null);
  const names: string[] = [];
  for (const [index, work] of turns.entries()) {
    const name = `${index + 1}.1`;
    names.push(name);
    await workspace.snapshot(name, 'before');
    work();
    await workspace.snapshot(name, 'after');
    between();
  }
  return { workspace, names, stat: () => workspace.statRun(names), patch: () => workspace.diffRun(names) };
}

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');

describe('what a whole run changed', () => {
  it('is what differs between before its first turn and after its last, with the lines of each file', async () => {
    const repo = createTestRepository({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'x\n', 'back.txt': 'same\n', 'old name.txt': LINES });
    repo.write('mine.txt', 'user\n');
    const run = await play(repo, [
      () => {
        repo.write('a.txt', 'one\nTWO\nthree\n');
        repo.write('back.txt', 'other\n');
      },
      () => {
        repo.remove('gone.txt');
        repo.write('back.txt', 'same\n');
        repo.write('new.txt', 'n\n');
      },
      () => {
        repo.git('mv', 'old name.txt', 'new\nname.txt');
        repo.write('image.bin', 'a\0b\0c');
      },
    ]);
    const stat = await run.stat();
    expect(stat?.files.map(({ path, from, status, added, removed }) => [path, from, status, added, removed])).toEqual([
      ['a.txt', null, 'changed', 2, 1],
      ['gone.txt', null, 'deleted', 0, 1],
      ['image.bin', null, 'added', null, null],
      ['new\nname.txt', 'old name.txt', 'renamed', 0, 0],
      ['new.txt', null, 'added', 1, 0],
    ]);
    expect(stat).toMatchObject({ added: 3, removed: 2, isWhole: true, between: [], prefix: '' });
    const patch = (await run.patch()) ?? '';
    expect(patch).toContain('-two\n+TWO\n+three\n');
    expect(patch).toContain('Binary files /dev/null and b/image.bin differ');
    expect(patch).toContain('rename to "new\\nname.txt"');
    expect(patch).not.toMatch(/back\.txt|mine\.txt/);
  });

  it('is whole where turns in between were cut off before they began, of which nobody has a folder', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const work = (name: string) => (): void => repo.write(name, 'n\n');
    const { workspace } = await play(repo, ['f1', 'f2', 'f3', 'f4', 'f5'].map(work));
    const stat = await workspace.statRun(['1.1', '2.1', '5.1']);
    expect(stat?.isWhole).toBe(true);
    expect(await workspace.statRun(['2.1', '1.1', '5.1'])).toMatchObject({ isWhole: true });
  });

  it('leaves out what somebody else changed between turns, and names it', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', '[user] *.txt': '0\n' });
    const run = await play(repo, [() => repo.write('a.txt', '1\n'), () => repo.write('a.txt', '2\n')], () =>
      repo.write('[user] *.txt', 'mine\n'),
    );
    const stat = await run.stat();
    expect(stat?.files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(stat?.between).toEqual(['[user] *.txt']);
    expect(await run.patch()).not.toContain('mine');
  });

  it('leaves out what changed in a turn before its work came into the folder, and names it', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', 'mine.txt': '0\n' });
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'opened');
    repo.write('mine.txt', 'mine\n');
    await workspace.snapshot('1.1', 'before');
    repo.write('a.txt', '1\n');
    await workspace.snapshot('1.1', 'after');
    const stat = await workspace.statRun(['1.1']);
    expect([stat?.files.map(({ path }) => path), stat?.between, stat?.isWhole]).toEqual([['a.txt'], ['mine.txt'], true]);
  });

  it('has what came into the folder before a turn was killed, and not what changed before that', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', 'mine.txt': '0\n' });
    const killed = repo.workspace(null);
    await killed.snapshot('1.1', 'opened');
    repo.write('mine.txt', 'mine\n');
    await killed.snapshot('1.1', 'before');
    repo.write('a.txt', '1\n');
    const workspace = repo.workspace(null);
    await workspace.snapshot('2.1', 'opened');
    await workspace.snapshot('2.1', 'before');
    await workspace.snapshot('2.1', 'after');
    const stat = await workspace.statRun(['1.1', '2.1']);
    expect([stat?.files.map(({ path }) => path), stat?.between]).toEqual([['a.txt'], ['mine.txt']]);
  });

  it('says when the end of the last turn was not seen', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const run = await play(repo, [() => repo.write('a.txt', '1\n')]);
    const stat = await run.workspace.statRun(['1.1', '2.1']);
    expect(stat).toMatchObject({ isWhole: false, added: 1, removed: 1 });
  });

  it('is known in a repository without commits and in a folder below the top, and not without git', async () => {
    const unborn = createPlainFolder();
    unborn.git('init', '--quiet');
    const born = await play(unborn, [() => unborn.write('sub/a.txt', 'x\n')]);
    expect((await born.stat())?.files).toMatchObject([{ path: 'sub/a.txt', status: 'added', added: 1 }]);
    const inner = unborn.workspace(null, { cwd: join(unborn.path, 'sub') });
    expect(await inner.statRun(['1.1'])).toMatchObject({ prefix: 'sub/', files: [{ path: 'sub/a.txt' }] });

    const plain = await play(createPlainFolder(), [() => undefined]);
    expect([await plain.stat(), await plain.patch()]).toEqual([null, null]);
    expect(await createTestRepository().workspace(null).statRun([])).toBeNull();
  });

  it('says of a submodule that its commit moved', async () => {
    const inner = createTestRepository({ 'x.txt': 'x\n' });
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const run = await play(repo, [
      () => {
        repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'vendored');
        repo.git('commit', '--quiet', '--all', '--message', 'a submodule');
      },
    ]);
    expect((await run.stat())?.files).toMatchObject([
      { path: '.gitmodules', isSubmodule: false },
      { path: 'vendored', isSubmodule: true, status: 'added' },
    ]);
  });

  it('runs nothing that the configuration of the repository names', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', '.gitattributes': '*.txt diff=evil\n' });
    const proof = join(repo.path, '..', 'proof');
    const run = await play(repo, [() => repo.write('a.txt', '1\n')]);
    for (const key of ['diff.external', 'diff.evil.command', 'diff.evil.textconv', 'core.pager', 'pager.diff-tree'])
      repo.git('config', key, `sh -c 'touch "${proof}"; cat'`);
    expect(await run.patch()).toContain('+1');
    expect((await run.stat())?.added).toBe(1);
    expect(() => repo.read('../proof')).toThrow();
  });

  it('is cut with a word where it is too long for anybody', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const line = `${'x'.repeat(99)}\n`;
    const run = await play(repo, [() => ['b.txt', 'c.txt'].forEach((name) => repo.write(name, line.repeat(45_000)))]);
    const patch = (await run.patch()) ?? '';
    expect(patch.length).toBeLessThan(9 << 20);
    expect(patch).toMatch(/\n\[patch cut here: it is \d+ characters long\]\n$/);
    expect((await run.stat())?.added).toBe(90_000);
  });

  it('is shown piece by piece where git has more to say than is read at once', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const line = `${'x'.repeat(1023)}\n`;
    const run = await play(repo, [
      () => {
        repo.write('b.txt', 'small\n');
        repo.git('config', 'core.bigFileThreshold', '1g');
        for (const name of ['c.txt', 'd.txt']) repo.write(name, line.repeat(34_000));
        repo.git('add', '.');
        repo.write('z.txt', 'last\n');
      },
    ]);
    const patch = (await run.patch()) ?? '';
    expect(patch).toContain('+small');
    expect(patch).toMatch(/\[patch cut here: /);
  });
});
