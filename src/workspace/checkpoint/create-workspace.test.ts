import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestFolder, createTestRepository, removeTestFolders } from '../repository-fixtures.ts';
import { describeFolder } from '../snapshot/fingerprint.ts';
import type { GitWorkspace } from './create-workspace.ts';

afterAll(removeTestFolders);

async function fingerprintOf(workspace: GitWorkspace): Promise<string | null> {
  return (await workspace.snapshot('9.1', 'before')).fingerprint;
}

describe('a workspace without git', () => {
  it('has fingerprints, and says why there are no checkpoints, snapshots and diffs', async () => {
    const folder = createPlainFolder();
    const baseline = await folder.capture();
    expect(baseline.noRepository).toContain('not a git repository');
    const workspace = folder.workspace(baseline);
    folder.write('a.txt', 'x');
    expect(await workspace.checkpoint(1)).toEqual({ commit: null, leftOut: [], note: baseline.noRepository });
    expect(await workspace.snapshot('1.1', 'before')).toEqual({ fingerprint: expect.any(String), tree: null });
    expect(await workspace.diff('1.1')).toBeNull();
    expect(await workspace.dropSnapshots()).toBe(0);
  });

  it('makes no checkpoint in a repository that an agent made during the run: nobody knows what was there before', async () => {
    const folder = createPlainFolder();
    const baseline = await folder.capture();
    folder.write('mine.txt', 'x');
    folder.git('init', '--quiet');
    const { commit, note } = await folder.workspace(baseline).checkpoint(1);
    expect(commit).toBeNull();
    expect(note).toMatch(/^git could not be used when the run began: not a git repository/);
  });

  it('is what a bare repository, an ignored folder and a git folder are', async () => {
    const bare = createPlainFolder();
    bare.git('init', '--quiet', '--bare');
    const repo = createTestRepository({ '.gitignore': 'build/\n' });
    repo.write('build/out/file', 'x');
    for (const cwd of [bare.path, join(repo.path, 'build/out'), join(repo.path, '.git')]) {
      const workspace = repo.workspace(await repo.capture(), { cwd });
      const { commit, note } = await workspace.checkpoint(1);
      expect(commit).toBeNull();
      expect(note).not.toBe('');
      expect(await fingerprintOf(workspace)).toEqual(expect.any(String));
    }
  });

  it('is all there is when git is not installed', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture(), { env: { PATH: repo.path } });
    expect((await workspace.checkpoint(1)).note).toBe('git was not found on the PATH');
    expect(await fingerprintOf(workspace)).toEqual(expect.any(String));
  });

  it('is all there is when git refuses the repository of another user, and it says how to allow it', async () => {
    const repo = createTestRepository();
    const env = { ...repo.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
    const { note } = await repo.workspace(await repo.capture(), { env }).checkpoint(1);
    expect(note).toContain('belongs to another user');
    expect(note).toContain(`git config --global --add safe.directory ${repo.path}`);
  });
});

describe('a workspace', () => {
  it('tells when its folder is gone, and still never throws', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture());
    expect(workspace.exists()).toBe(true);
    await fingerprintOf(workspace);
    rmSync(repo.path, { recursive: true });
    expect(workspace.exists()).toBe(false);
    expect(await fingerprintOf(workspace)).toBeNull();
    expect((await workspace.checkpoint(1)).commit).toBeNull();
    expect(await workspace.snapshot('1.1', 'before')).toEqual({ fingerprint: null, tree: null, unseen: expect.any(String) });
    expect(await workspace.diff('1.1')).toBeNull();
  });

  it('notices that a file has taken the place of its folder', () => {
    const folder = createPlainFolder();
    const workspace = folder.workspace(null);
    renameSync(folder.path, `${folder.path}-moved`);
    createPlainFolder({ path: `${folder.path}-moved` }).write('../work space', 'a file');
    expect(workspace.exists()).toBe(false);
  });

  it('may lie at a path with line feeds, quotes and spaces', async () => {
    const repo = createTestRepository({ 'a.txt': '1' }, { path: createTestFolder('new\nline "quoted" \\ 漢 ') });
    const workspace = repo.workspace(await repo.capture());
    repo.write('a.txt', '2');
    expect((await workspace.checkpoint(1)).note).toBe('');
    expect(repo.status()).toEqual([]);
  });

  it('works while the environment points git to another repository, as it does inside a git hook', async () => {
    const repo = createTestRepository();
    const other = createTestRepository({ 'other.txt': 'x' });
    const pointers = {
      GIT_DIR: join(other.path, '.git'),
      GIT_WORK_TREE: other.path,
      GIT_INDEX_FILE: join(other.path, '.git/index'),
      GIT_PREFIX: 'x/',
    };
    const workspace = repo.workspace(await repo.capture(), { env: { ...repo.env, ...pointers } });
    repo.write('work.txt', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.git('rev-parse', 'HEAD').trim()).toBe(commit);
    expect(other.git('rev-list', '--count', 'HEAD')).toBe('1\n');
    expect(other.status()).toEqual([]);
  });

  it('makes no checkpoint without a baseline', async () => {
    const repo = createTestRepository();
    repo.write('work.txt', 'x');
    const { commit, note } = await repo.workspace(null).checkpoint(1);
    expect([commit, note]).toEqual([null, 'it is not known which files were there before the run']);
  });

  it('says so when the folder for its own files cannot be made', async () => {
    const repo = createTestRepository();
    repo.write('.git/a-file', '');
    const workspace = repo.workspace(await repo.capture(), { scratchDir: join(repo.path, '.git/a-file/scratch') });
    repo.write('work.txt', 'x');
    const { commit, note } = await workspace.checkpoint(1);
    expect(commit).toBeNull();
    expect(note).toContain('ENOTDIR');
    expect(await workspace.snapshot('1.1', 'before')).toEqual({ fingerprint: expect.any(String), tree: null });
  });
});

describe('the fingerprint', () => {
  it('changes whenever a file does, with git and without, and only then', async () => {
    const files = { 'kept.txt': 'kept\n', 'dirty.txt': '1', 'deep/er/file.txt': '1', 'gone.txt': '1' };
    const repo = createTestRepository(files);
    const plain = createPlainFolder();
    for (const [name, text] of Object.entries(files)) plain.write(name, text);
    for (const folder of [repo, plain]) {
      folder.write('dirty.txt', 'second version');
      folder.write('nested/file.txt', '1');
      folder.git('init', '--quiet', 'nested');
      folder.git('-C', 'nested', 'add', '--all');
      folder.git('-C', 'nested', 'commit', '--quiet', '--message', 'nested');
      const acts = {
        made: () => folder.write('new.txt', ''),
        changed: () => folder.write('kept.txt', 'other'),
        'changed once more': () => folder.write('dirty.txt', 'third version'),
        deleted: () => folder.remove('gone.txt'),
        'made executable': () => folder.makeExecutable('deep/er/file.txt'),
        'changed in a folder': () => folder.write('deep/er/file.txt', 'changed'),
        'changed in a repository inside': () => folder.write('nested/file.txt', 'changed'),
      };
      const workspace = folder.workspace(null);
      for (const [name, act] of Object.entries(acts)) {
        const before = await fingerprintOf(workspace);
        expect(await fingerprintOf(workspace), name).toBe(before);
        act();
        expect(await fingerprintOf(workspace), name).not.toBe(before);
      }
    }
  });

  it('does not change for the state folders and for what is ignored', async () => {
    const repo = createTestRepository({ '.gitignore': '*.log\n' });
    const plain = createPlainFolder();
    for (const folder of [repo, plain]) {
      const workspace = folder.workspace(null);
      const before = await fingerprintOf(workspace);
      folder.write('.agent/scratchpad.md', 'x');
      folder.write('.ralph/runs/1/journal.jsonl', 'x');
      if (folder === repo) folder.write('debug.log', 'x');
      else folder.write('node_modules/x/index.js', 'x');
      expect(await fingerprintOf(workspace)).toBe(before);
    }
  });

  it('changes when an agent commits, and in a repository without commits', async () => {
    const repo = createTestRepository();
    repo.git('update-ref', '-d', 'HEAD');
    const workspace = repo.workspace(null);
    const unborn = await fingerprintOf(workspace);
    repo.git('commit', '--quiet', '--message', 'first');
    expect(await fingerprintOf(workspace)).not.toBe(unborn);
  });

  it('is unknown for more files and folders than can be looked at', async () => {
    const folder = createPlainFolder();
    for (const name of ['a/1', 'a/2', 'b/3']) folder.write(name, 'x');
    expect(await describeFolder(folder.path, [], 5)).toEqual(expect.any(String));
    expect(await describeFolder(folder.path, [], 4)).toBeNull();
    expect(await describeFolder(folder.path, ['b'], 4)).toEqual(expect.any(String));
  });

  it('leaves the repository’s index as it is', async () => {
    const repo = createTestRepository();
    repo.write('kept.txt', 'kept\n');
    const { mtimeMs, ino } = statSync(join(repo.path, '.git/index'));
    await fingerprintOf(repo.workspace(null));
    expect(statSync(join(repo.path, '.git/index'))).toMatchObject({ mtimeMs, ino });
  });
});

describe('where a repository stands', () => {
  it('is its branch, what is not committed, and the commits since one', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const base = repo.git('rev-parse', 'HEAD').trim();
    for (const subject of ['one', 'two with a long | story']) repo.git('commit', '--quiet', '--allow-empty', '--message', subject);
    repo.write('a.txt', '1\n');
    repo.write('new\nline.txt', 'x');
    repo.write('.ralph/state', 'x');
    const state = await repo.workspace(null).state(base);
    expect(state).toMatchObject({
      head: repo.git('rev-parse', 'HEAD').trim(),
      branch: 'main',
      uncommitted: { count: 2, first: ['a.txt', 'new\nline.txt'] },
      commits: { count: 2, newest: [{ subject: 'two with a long | story' }, { subject: 'one' }] },
    });
    repo.git('checkout', '--quiet', '--detach');
    expect(await repo.workspace(null).state(null)).toMatchObject({ branch: null, commits: { count: 3 } });
  });

  it('is told before the first commit, with a base that is none, and not outside of git', async () => {
    const unborn = createPlainFolder();
    expect(await unborn.workspace(null).state(null)).toBeNull();
    unborn.git('init', '--quiet');
    expect(await unborn.workspace(null).state(null)).toMatchObject({ head: null, branch: 'main', commits: { count: 0 } });
    const repo = createTestRepository();
    expect((await repo.workspace(null).state('--output=x'))?.commits).toBeNull();
    expect((await repo.workspace(null).state('a'.repeat(40)))?.commits).toBeNull();
  });
});
