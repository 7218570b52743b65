import { execFileSync } from 'node:child_process';
import { existsSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { captureGitPrograms } from '../../git/repository.ts';
import { createPlainFolder, createTestRepository, removeTestFolders } from '../repository-fixtures.ts';

afterAll(removeTestFolders);

describe('the snapshots around a turn', () => {
  it('see a file that was written with as many bytes, and with the time that it had', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    // Where git stores the trees, it tells whole seconds.
    const workspace = repo.workspace(null, { programs: await captureGitPrograms(repo.settings) });
    const old = new Date('2001-01-01');
    const trees = new Set<string | null>();
    for (const text of ['x1', 'x2', 'x3']) {
      repo.write('a.txt', text);
      utimesSync(join(repo.path, 'a.txt'), old, old);
      trees.add((await workspace.snapshot('1.1', 'after')).tree);
      await sleep(20);
    }
    expect(trees.size).toBe(3);
  });

  it('show as a patch what the turn changed, also what was never committed', async () => {
    const repo = createTestRepository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    repo.write('untracked.txt', 'user\n');
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'before');
    repo.write('a.txt', 'two\n');
    repo.write('grüße.txt', 'new\n');
    repo.remove('b.txt');
    await workspace.snapshot('1.1', 'after');
    const patch = await workspace.diff('1.1');
    expect(patch).toContain('-one\n+two\n');
    expect(patch).toContain('+++ b/grüße.txt');
    expect(patch).toContain('deleted file mode 100644');
    expect(patch).not.toContain('untracked.txt');
  });

  it('see all else where a pipe was put in the place of a file, which is gone then, and a checkpoint can be made', async () => {
    const repo = createTestRepository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const workspace = repo.workspace(await repo.capture(), { programs: await captureGitPrograms(repo.settings) });
    await workspace.snapshot('1.1', 'before');
    repo.remove('a.txt');
    execFileSync('mkfifo', [join(repo.path, 'a.txt')]);
    repo.write('b.txt', 'changed\n');
    await workspace.snapshot('1.1', 'after');
    const patch = await workspace.diff('1.1');
    expect(patch).toContain('-b\n+changed\n');
    expect(patch).toContain('deleted file mode 100644');
    expect(await workspace.checkpoint(1)).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  });

  it('show only what happened in this turn, whoever committed in between', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', '.gitignore': '*.log\n' });
    const workspace = repo.workspace(await repo.capture());
    await workspace.snapshot('1.1', 'before');
    repo.write('a.txt', '1\n');
    await workspace.snapshot('1.1', 'after');
    await workspace.checkpoint(1);
    await workspace.snapshot('2.1', 'before');
    repo.write('b.txt', '2\n');
    repo.write('x.log', 'ignored\n');
    repo.write('.agent/scratchpad.md', 'state\n');
    await workspace.snapshot('2.1', 'after');
    await workspace.snapshot('3.1', 'before');
    repo.write('a.txt', '0\n');
    repo.remove('b.txt');
    await workspace.snapshot('3.1', 'after');
    const names = async (turn: string): Promise<string[]> =>
      [...((await workspace.diff(turn)) ?? '').matchAll(/^diff --git a\/(\S+)/gm)].map((match) => match[1] ?? '');
    expect([await names('1.1'), await names('2.1'), await names('3.1')]).toEqual([['a.txt'], ['b.txt'], ['a.txt', 'b.txt']]);
  });

  it('name the files that a run changed, what killed turns did included, and what was there before or done between turns left out', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n', 'user.txt': '0\n' });
    repo.write('before.txt', 'user\n');
    const first = repo.workspace(null);
    await first.snapshot('1.1', 'before');
    repo.write('killed 1.txt', 'x\n');
    await first.settle();
    // Another process, with the same turns.
    const second = repo.workspace(null);
    await second.snapshot('2.1', 'before');
    repo.write('grüße\n\u0001.txt', 'x\n');
    await second.snapshot('2.1', 'after');
    repo.write('user.txt', '1\n');
    await second.snapshot('3.1', 'before');
    await second.snapshot('3.1', 'after');
    await second.snapshot('4.1', 'before');
    repo.write('a.txt', '1\n');
    const third = repo.workspace(null);
    await third.snapshot('5.1', 'before');
    expect(await third.changedFiles(['1.1', '2.1', '3.1', '4.1', '5.1'])).toBeNull();
    await third.snapshot('5.1', 'after');
    const names = await third.changedFiles(['1.1', '2.1', '3.1', '4.1', '5.1']);
    expect(names).toEqual(['a.txt', 'grüße\n\u0001.txt', 'killed 1.txt']);
    expect(await third.changedFiles(['0.1', '1.1', '2.1'])).toBeNull();
  });

  it('name the files of turns whose trees a clean-up took as well, as long as a tree before and one behind them are there', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const workspace = repo.workspace(null);
    for (const turn of [1, 2, 3, 4]) {
      await workspace.snapshot(`${turn}.1`, 'before');
      repo.write(`${turn}.txt`, 'x\n');
      await workspace.snapshot(`${turn}.1`, 'after');
    }
    await workspace.settle();
    for (const name of ['1.1/after', '2.1/before', '3.1/after', '4.1/before']) repo.git('update-ref', '-d', `refs/ralph/run-1/${name}`);
    expect(await workspace.changedFiles(['1.1', '2.1', '3.1', '4.1'])).toEqual(['1.txt', '2.txt', '3.txt', '4.txt']);
    repo.git('update-ref', '-d', 'refs/ralph/run-1/1.1/before');
    expect(await workspace.changedFiles(['1.1', '2.1', '3.1', '4.1'])).toBeNull();
  });

  it('show what is left when what the turn did was taken back after a first look', async () => {
    const repo = createTestRepository({ 'a.txt': 'one\n' });
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'before');
    repo.write('a.txt', 'evil\n');
    repo.write('b.txt', 'stays\n');
    await workspace.snapshot('1.1', 'after');
    expect(await workspace.diff('1.1')).toContain('+evil\n');
    repo.write('a.txt', 'one\n');
    await workspace.snapshot('1.1', 'after');
    const patch = await workspace.diff('1.1');
    expect(patch).toContain('+++ b/b.txt');
    expect(patch).not.toContain('evil');
  });

  it('are an empty patch for a turn that changed nothing, and nothing for a turn without both', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'before');
    await workspace.snapshot('1.1', 'after');
    await workspace.snapshot('2.1', 'before');
    expect([await workspace.diff('1.1'), await workspace.diff('2.1'), await workspace.diff('7.1')]).toEqual(['', null, null]);
  });

  it('are there for another process, and name the same tree for the same files', async () => {
    const repo = createTestRepository();
    const first = repo.workspace(null);
    const before = await first.snapshot('1.1', 'before');
    repo.write('new.txt', 'x\n');
    const after = await first.snapshot('1.1', 'after');
    await first.settle();
    const second = repo.workspace(null);
    expect(await second.snapshot('2.1', 'before')).toEqual(after);
    expect(await second.diff('1.1')).toContain('+++ b/new.txt');
    repo.remove('new.txt');
    expect((await second.snapshot('2.1', 'after')).tree).toBe(before.tree);
  });

  it('work in a repository without commits, during a conflict, and with links, modes and strange names', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    repo.git('checkout', '--quiet', '-b', 'side');
    repo.write('a.txt', 'side\n');
    repo.git('commit', '--quiet', '--all', '--message', 'side');
    repo.git('checkout', '--quiet', 'main');
    repo.write('a.txt', 'main\n');
    repo.git('commit', '--quiet', '--all', '--message', 'main');
    expect(() => repo.git('merge', 'side')).toThrow();
    repo.link('link', 'a.txt');
    repo.write('new\nline.sh', 'x');
    repo.makeExecutable('new\nline.sh');
    const { tree } = await repo.workspace(null).snapshot('1.1', 'before');
    expect(repo.git('show', `${tree}:a.txt`)).toContain('<<<<<<<');
    const listed = repo
      .git('ls-tree', '-z', tree ?? '')
      .split('\0')
      .filter(Boolean);
    expect(listed.map((line) => [line.slice(0, 6), line.split('\t')[1]])).toEqual([
      ['100644', 'a.txt'],
      ['120000', 'link'],
      ['100755', 'new\nline.sh'],
    ]);

    const unborn = createPlainFolder();
    unborn.git('init', '--quiet');
    unborn.write('a.txt', 'x\n');
    const first = await unborn.workspace(null).snapshot('1.1', 'before');
    expect(unborn.git('ls-tree', '--name-only', first.tree ?? '')).toBe('a.txt\n');
  });

  it('leave no trace in the user’s index, branches, log and status, and go when they are dropped', async () => {
    const repo = createTestRepository();
    repo.write('staged.txt', 'x');
    repo.git('add', 'staged.txt');
    const look = (): unknown => [
      repo.status(),
      repo.git('branch', '--all'),
      repo.git('log', '--all', '--format=%s'),
      repo.git('ls-files', '--stage'),
    ];
    const before = look();
    const workspace = repo.workspace(null);
    const other = repo.workspace(null, { runId: 'run-10' });
    for (const each of [workspace, other]) {
      await each.snapshot('1.1', 'before');
      await each.snapshot('1.1', 'after');
      await each.settle();
    }
    expect(look()).toEqual(before);
    expect(repo.git('for-each-ref', '--format=%(refname) %(objecttype)', 'refs/ralph/run-1').trim().split('\n')).toEqual([
      'refs/ralph/run-1/1.1/after tree',
      'refs/ralph/run-1/1.1/before tree',
    ]);
    expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(await workspace.dropSnapshots()).toBe(2);
    expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/ralph').trim().split('\n')).toHaveLength(2);
    expect(await workspace.diff('1.1')).toBeNull();
  });

  it('leave out large files that git does not know, and are not made when there is too much of them', async () => {
    const repo = createTestRepository();
    repo.write('data.bin', 'x'.repeat(9 << 20));
    repo.write('small.txt', 'x');
    const { tree } = await repo.workspace(null).snapshot('1.1', 'before');
    expect(repo.git('ls-tree', '--name-only', tree ?? '')).toBe('kept.txt\nsmall.txt\n');
    truncateSync(join(repo.path, 'kept.txt'), 300 << 20);
    expect(await repo.workspace(null).snapshot('2.1', 'before')).toEqual({ fingerprint: expect.any(String), tree: null });
  });

  it('are not sent by a push', async () => {
    const repo = createTestRepository();
    const remote = createPlainFolder();
    remote.git('init', '--quiet', '--bare');
    repo.git('remote', 'add', 'origin', remote.path);
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'before');
    await workspace.snapshot('1.1', 'after');
    await workspace.settle();
    expect(repo.git('for-each-ref', 'refs/ralph')).not.toBe('');
    repo.git('push', '--quiet', '--all', 'origin');
    repo.git('push', '--quiet', '--tags', 'origin');
    expect(remote.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
  });

  it('can be switched off, which leaves the fingerprint', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(null, { keepsSnapshots: false });
    expect(await workspace.snapshot('1.1', 'before')).toEqual({ fingerprint: expect.any(String), tree: null });
    expect(repo.git('for-each-ref', 'refs/ralph')).toBe('');
  });

  it('recover from a lock that a killed git left on their index', async () => {
    const repo = createTestRepository();
    const scratchDir = repo.env['HOME'] ?? '';
    repo.write('x.txt', 'x');
    const { tree } = await repo.workspace(null, { scratchDir }).snapshot('1.1', 'before');
    createPlainFolder({ path: scratchDir }).write('snapshot.index.lock', '');
    expect((await repo.workspace(null, { scratchDir }).snapshot('2.1', 'before')).tree).toBe(tree);
  });

  it('go on after an agent pruned the repository in the middle of a turn', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(null);
    await workspace.snapshot('1.1', 'before');
    await workspace.snapshot('1.1', 'after');
    await workspace.settle();
    repo.write('one.txt', '1\n');
    await workspace.snapshot('2.1', 'before');
    repo.git('prune', '--expire=now');
    await workspace.snapshot('2.1', 'after');
    await workspace.settle();
    expect(await workspace.diff('2.1')).toBeNull();
    await workspace.snapshot('3.1', 'before');
    repo.write('two.txt', '2\n');
    await workspace.snapshot('3.1', 'after');
    expect(await workspace.diff('3.1')).toMatch(/^diff --git a\/two.txt/);
  });

  it.each(['../../heads/main', 'a b', 'x.lock', '', 'a..b'])('never get a name outside their place (%j)', async (turn) => {
    const repo = createTestRepository();
    const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/heads');
    const workspace = repo.workspace(null);
    await workspace.snapshot(turn, 'before');
    await workspace.snapshot(turn, 'after');
    await workspace.settle();
    expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe(refs);
    expect(await workspace.diff(turn)).toBeNull();
  });
});

it('run no program of a submodule, where it has a configuration of its own', async () => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  const sub = createTestRepository({ 'b.txt': 'b\n', '.gitattributes': '* filter=y\n' });
  const sign = join(folder.path, '.git/ran');
  folder.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub.path, 'sub');
  folder.git('commit', '-qam', 'sub');
  const before = await folder.workspace(null).snapshot('1.1', 'before');
  folder.git('-C', 'sub', 'config', 'filter.y.clean', `touch '${sign}'; cat`);
  folder.write('sub/b.txt', 'changed\n');
  const workspace = folder.workspace(null, { programs: {} });
  expect((await workspace.snapshot('1.1', 'after')).fingerprint).not.toBe(before.fingerprint);
  await workspace.settle();
  expect(existsSync(sign)).toBe(false);
});
