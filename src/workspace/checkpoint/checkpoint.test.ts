import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { captureGitPrograms } from '../../git/repository.ts';
import { createPlainFolder, createTestRepository, removeTestFolders } from '../repository-fixtures.ts';

afterAll(removeTestFolders);

const hookNames = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'reference-transaction',
  'post-index-change',
  'pre-auto-gc',
];

describe('a checkpoint', () => {
  it('checkpoint_interval: 5 in config, iteration 5, 10 completes: a git commit is created with checkpoint message (seed 004)', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('work.txt', 'one\n');
    const first = await workspace.checkpoint(5);
    repo.write('work.txt', 'two\n');
    const second = await workspace.checkpoint(10);
    expect(repo.git('log', '--format=%s').split('\n').slice(0, 3)).toEqual([
      'ralph: checkpoint after iteration 10',
      'ralph: checkpoint after iteration 5',
      'first',
    ]);
    expect(repo.git('log', '-1', '--format=%(trailers:key=Ralph-Run)').trim()).toBe('Ralph-Run: run-1');
    expect(second).toEqual({ commit: repo.git('rev-parse', 'HEAD').trim(), leftOut: [], note: '' });
    expect(first.commit).toBe(repo.git('rev-parse', 'HEAD~1').trim());
    expect(repo.git('show', 'HEAD:work.txt')).toBe('two\n');
    expect(repo.status()).toEqual([]);
  });

  it('takes new, changed, deleted, renamed, linked and executable files, whatever their names', async () => {
    const repo = createTestRepository({
      'changed.txt': 'a',
      'deleted.txt': 'b',
      'old name.txt': 'c',
      'run.sh': '#!/bin/sh\n',
      'to-link': 'd',
    });
    const workspace = repo.workspace(await repo.capture());
    repo.write('changed.txt', 'A');
    repo.remove('deleted.txt');
    repo.git('mv', 'old name.txt', 'new name.txt');
    repo.makeExecutable('run.sh');
    repo.remove('to-link');
    repo.link('to-link', 'changed.txt');
    for (const name of ['new\nline.txt', 'tab\t"quote"\\.txt', 'grüße 漢字 😀.txt', ' leading', '-dash', 'a/b/c/deep.txt'])
      repo.write(name, name);
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(leftOut).toEqual([]);
    expect(repo.changes(commit ?? '').sort()).toEqual(
      [
        'M changed.txt',
        'D deleted.txt',
        'D old name.txt',
        'A new name.txt',
        'M run.sh',
        'T to-link',
        'A new\nline.txt',
        'A tab\t"quote"\\.txt',
        'A grüße 漢字 😀.txt',
        'A  leading',
        'A -dash',
        'A a/b/c/deep.txt',
      ].sort(),
    );
    expect(repo.git('ls-tree', 'HEAD', 'run.sh', 'to-link')).toMatch(/^100755 .*run.sh\n120000 .*to-link\n$/);
    expect(repo.status()).toEqual([]);
  });

  it('takes a file that became a folder, a folder that became a file, and a folder that became a link', async () => {
    const repo = createTestRepository({ file: 'f', 'folder/x': 'x', 'linked/y': 'y', 'other/y': 'z' });
    const workspace = repo.workspace(await repo.capture());
    repo.remove('file');
    repo.write('file/inside', 'i');
    repo.remove('folder');
    repo.write('folder', 'now a file');
    repo.remove('linked');
    repo.link('linked', 'other');
    expect((await workspace.checkpoint(1)).note).toBe('');
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual(['file/inside', 'folder', 'linked', 'other/y', '']);
    expect(repo.status()).toEqual([]);
  });

  it('takes what an agent staged, as it is in the working tree', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('staged.txt', 'staged\n');
    repo.write('both.txt', 'first\n');
    repo.git('add', 'staged.txt', 'both.txt');
    repo.write('both.txt', 'second\n');
    repo.write('intended.txt', 'x\n');
    repo.git('add', '--intent-to-add', 'intended.txt');
    await workspace.checkpoint(1);
    expect(repo.git('show', 'HEAD:both.txt')).toBe('second\n');
    expect(repo.status()).toEqual([]);
  });

  it('lets go of a file that an agent took out of the repository and ignored', async () => {
    const repo = createTestRepository({ 'secret.env': 'KEY=1\n' });
    const workspace = repo.workspace(await repo.capture());
    repo.git('rm', '--quiet', '--cached', 'secret.env');
    repo.write('.gitignore', 'secret.env\n');
    await workspace.checkpoint(1);
    expect(repo.git('ls-tree', '--name-only', 'HEAD')).toBe('.gitignore\n');
    expect(repo.read('secret.env')).toBe('KEY=1\n');
  });

  it('takes only the rest when an agent committed by itself', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('mine.txt', 'agent\n');
    repo.git('add', 'mine.txt');
    repo.git('commit', '--quiet', '--message', 'by the agent');
    expect(await workspace.checkpoint(1)).toMatchObject({ commit: null, note: 'nothing new to commit' });
    repo.write('rest.txt', 'rest\n');
    const { commit } = await workspace.checkpoint(2);
    expect(repo.changes(commit ?? '')).toEqual(['A rest.txt']);
    expect(repo.git('log', '--format=%s').split('\n')).toEqual(['ralph: checkpoint after iteration 2', 'by the agent', 'first', '']);
  });

  it('makes no empty commit, also when a file was only touched', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('kept.txt', 'kept\n');
    expect(await workspace.checkpoint(5)).toEqual({ commit: null, leftOut: [], note: 'nothing new to commit' });
    repo.write('empty-me', 'x');
    await workspace.checkpoint(6);
    expect((await workspace.checkpoint(7)).commit).toBeNull();
    expect(repo.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  it('leaves out ignored files and the state folders', async () => {
    const repo = createTestRepository({ '.gitignore': '*.log\n' });
    const workspace = repo.workspace(await repo.capture());
    repo.write('debug.log', 'x');
    repo.write('.ralph/runs/1/journal.jsonl', 'x');
    repo.write('.agent/scratchpad.md', 'x');
    repo.write('.agentic/kept.md', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['A .agentic/kept.md']);
  });

  it('runs no hook, signs nothing, and starts no clean-up', async () => {
    const repo = createTestRepository();
    for (const name of hookNames) {
      repo.write(`.git/hooks/${name}`, '#!/bin/sh\necho ran >> "$HOME/hooks.log"\nexit 1\n');
      repo.makeExecutable(`.git/hooks/${name}`);
    }
    repo.git('config', 'commit.gpgSign', 'true');
    repo.git('config', 'gpg.program', '/bin/false');
    repo.git('config', 'core.fsmonitor', 'echo ran >> "$HOME/watcher.log"; false');
    const workspace = repo.workspace(await repo.capture());
    repo.write('work.txt', 'x');
    expect((await workspace.checkpoint(1)).note).toBe('');
    expect(repo.git('log', '-1', '--format=%s%n%GS', '--no-show-signature').trim()).toBe('ralph: checkpoint after iteration 1');
    const logs = ['hooks.log', 'watcher.log'].map((name) => join(repo.env['HOME'] ?? '', name));
    expect(logs.map(existsSync)).toEqual([false, false]);
    repo.write('kept.txt', 'the user’s own git does run them');
    expect(() => repo.git('commit', '--all', '--message', 'x')).toThrow();
    expect(logs.map(existsSync)).toEqual([true, true]);
  });

  it('bears the user’s name, and Ralph’s where git was told none', async () => {
    const named = createTestRepository();
    const nameless = createTestRepository({ a: 'a' }, { isNameless: true });
    for (const repo of [named, nameless]) {
      const workspace = repo.workspace(await repo.capture());
      repo.write('work.txt', 'x');
      await workspace.checkpoint(1);
    }
    expect(named.git('log', '-1', '--format=%an <%ae> %cn <%ce>')).toBe('Uma User <uma@example.org> Uma User <uma@example.org>\n');
    expect(nameless.git('log', '-1', '--format=%an <%ae> %cn')).toBe('Ralph <ralph@localhost> Ralph\n');
  });

  it('stores line ends as the repository’s rules say, also where they cannot be kept', async () => {
    const repo = createTestRepository({ 'dos.txt': 'one\r\ntwo\r\n' });
    repo.git('config', 'core.autocrlf', 'true');
    repo.git('config', 'core.safecrlf', 'true');
    const workspace = repo.workspace(await repo.capture());
    repo.write('unix.txt', 'a\nb\n');
    repo.write('windows.txt', 'a\r\nb\r\n');
    repo.write('mixed.txt', 'a\r\nb\n');
    expect((await workspace.checkpoint(1)).note).toBe('');
    for (const name of ['unix.txt', 'windows.txt', 'mixed.txt']) expect(repo.git('show', `HEAD:${name}`)).toBe('a\nb\n');
    expect(repo.read('windows.txt')).toBe('a\r\nb\r\n');
    expect(repo.status()).toEqual([]);
  });

  it('leaves submodules and repositories inside the repository alone', async () => {
    const library = createTestRepository({ 'lib.c': 'int x;\n' });
    const repo = createTestRepository();
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'sub');
    repo.git('commit', '--quiet', '--message', 'submodule');
    const workspace = repo.workspace(await repo.capture());
    repo.write('sub/lib.c', 'int y;\n');
    repo.write('nested/file', 'x');
    repo.git('init', '--quiet', 'nested');
    repo.git('-C', 'nested', 'add', 'file');
    repo.git('-C', 'nested', 'commit', '--quiet', '--message', 'nested');
    repo.write('work.txt', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['A work.txt']);
    expect(repo.status()).toEqual([' M sub', '?? nested/']);
  });

  it('takes the whole repository when the workspace is a folder inside it', async () => {
    const repo = createTestRepository({ 'app/main.ts': '1', 'lib/index.ts': '1' });
    const inner = { ...repo.settings, cwd: `${repo.path}/app` };
    const workspace = repo.workspace(await repo.capture(), inner);
    repo.write('app/main.ts', '2');
    repo.write('lib/index.ts', '2');
    repo.write('app/.agent/scratchpad.md', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.changes(commit ?? '')).toEqual(['M app/main.ts', 'M lib/index.ts']);
    expect(repo.status()).toEqual(['?? app/.agent/scratchpad.md']);
  });

  it('works in a repository with SHA-256 names and with a split index', async () => {
    const repo = createPlainFolder();
    repo.git('init', '--quiet', '--object-format=sha256');
    repo.git('config', 'core.splitIndex', 'true');
    repo.write('a.txt', '1');
    repo.write('mine.txt', '1');
    repo.git('add', 'a.txt');
    repo.git('commit', '--quiet', '--message', 'first');
    const workspace = repo.workspace(await repo.capture());
    const list = (): string[] => readdirSync(join(repo.path, '.git')).filter((name) => name.startsWith('sharedindex'));
    const shared = list();
    repo.write('a.txt', '2');
    const { tree } = await workspace.snapshot('1.1', 'before');
    expect([shared.length, list()]).toEqual([1, shared]);
    const { commit, leftOut } = await workspace.checkpoint(1);
    expect(tree).toHaveLength(64);
    expect([repo.changes(commit ?? ''), leftOut, repo.status()]).toEqual([['M a.txt'], [], ['?? mine.txt']]);
  });

  it('is made on a detached HEAD and in a linked worktree, there and nowhere else', async () => {
    const repo = createTestRepository();
    repo.git('worktree', 'add', '--quiet', '-b', 'side', '../side');
    const inSide = repo.workspace(await repo.capture(), { cwd: `${repo.path}/../side` });
    repo.write('../side/s.txt', 's');
    await inSide.checkpoint(1);
    expect(repo.git('log', '-1', '--format=%s', 'side')).toBe('ralph: checkpoint after iteration 1\n');
    expect(repo.git('log', '-1', '--format=%s', 'main')).toBe('first\n');
    repo.git('checkout', '--quiet', '--detach');
    const workspace = repo.workspace(await repo.capture());
    repo.write('d.txt', 'd');
    const { commit } = await workspace.checkpoint(2);
    expect(repo.git('rev-parse', 'HEAD').trim()).toBe(commit);
    expect(repo.git('log', '-1', '--format=%s', 'main')).toBe('first\n');
  });
});

describe('a checkpoint that cannot be made', () => {
  it.each([
    ['a rebase', ['rebase', 'side']],
    ['a merge', ['merge', 'side']],
    ['a cherry-pick', ['cherry-pick', 'side']],
  ])('says so during %s, and changes nothing', async (name, command) => {
    const repo = createTestRepository();
    repo.git('checkout', '--quiet', '-b', 'side');
    repo.write('kept.txt', 'side\n');
    repo.git('commit', '--quiet', '--all', '--message', 'side');
    repo.git('checkout', '--quiet', 'main');
    repo.write('kept.txt', 'main\n');
    repo.git('commit', '--quiet', '--all', '--message', 'main');
    expect(() => repo.git(...command)).toThrow();
    const workspace = repo.workspace(await repo.capture());
    repo.write('work.txt', 'x');
    const before = [repo.git('rev-parse', 'HEAD'), repo.status()];
    expect(await workspace.checkpoint(1)).toEqual({ commit: null, leftOut: [], note: `no checkpoint during ${name}` });
    expect([repo.git('rev-parse', 'HEAD'), repo.status()]).toEqual(before);
  });

  it('waits for a short lock on the index, and names one that stays', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.write('work.txt', 'x');
    repo.write('.git/index.lock', '');
    const refused = await workspace.checkpoint(1);
    expect(refused.commit).toBeNull();
    expect(refused.note).toContain('index.lock');
    expect(repo.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    setTimeout(() => repo.remove('.git/index.lock'), 60);
    expect((await workspace.checkpoint(2)).note).toBe('');
  });

  it('loses no commit that somebody else makes at the same moment', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    // Git runs this while the checkpoint stores the file.
    repo.git('config', 'filter.race.clean', 'cat; env -u GIT_INDEX_FILE git commit --quiet --allow-empty --message other');
    repo.write('.git/info/attributes', 'race.txt filter=race\n');
    repo.write('race.txt', 'x');
    const refused = await workspace.checkpoint(1);
    expect(refused.commit).toBeNull();
    expect(refused.note).not.toBe('');
    expect(repo.git('log', '--format=%s')).toMatch(/^(other\n)+first\n$/);
    repo.git('config', '--unset', 'filter.race.clean');
    expect(repo.changes((await workspace.checkpoint(2)).commit ?? '')).toEqual(['A race.txt']);
  });

  it('says why when a file cannot be stored', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    repo.git('config', 'filter.broken.clean', '/bin/false');
    repo.git('config', 'filter.broken.required', 'true');
    repo.write('.git/info/attributes', '*.bin filter=broken\n');
    repo.write('data.bin', 'x');
    const refused = await workspace.checkpoint(1);
    expect(refused.commit).toBeNull();
    expect(refused.note).toContain('external filter');
    expect(repo.status()).toEqual(['?? data.bin']);
  });
});

it('lets a checkpoint be made in spite of a filter that fails', async () => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  const programs = await captureGitPrograms(folder.settings);
  const workspace = folder.workspace(await folder.capture(), { programs });
  folder.git('config', 'filter.x.clean', 'false');
  folder.git('config', 'filter.x.required', 'true');
  folder.write('.gitattributes', '* filter=x\n');
  folder.write('a.txt', 'new\n');
  expect((await workspace.checkpoint(1)).commit).not.toBeNull();
  expect(await workspace.findNewPrograms()).toEqual({ 'filter.x.clean': 'false', 'filter.x.required': 'true' });
});
