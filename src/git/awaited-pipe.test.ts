import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createGit } from './git.ts';
import { isOwnWorktree, readGitPlaces } from './git-places.ts';
import { findRepository } from './repository.ts';
import { createTestFolder, createTestRepository, removeTestFolders, type TestFolder } from './repository-fixtures.ts';
import { readStatus } from './status.ts';
import { changeIndex } from './trees.ts';

afterAll(removeTestFolders);

const FILES = { '.gitignore': 'built\n', 'src/deep/a.txt': 'a\n', 'src/b.txt': 'b\n' };

/** A pipe, also in the place of what is there. */
function putPipe(folder: TestFolder, name: string): string {
  folder.write(`${dirname(name)}/beside.txt`, 'beside\n');
  const path = join(folder.path, name);
  rmSync(path, { force: true, recursive: true });
  execFileSync('mkfifo', [path]);
  return path;
}

async function open(folder: TestFolder, cwd = folder.path) {
  const found = await findRepository({ ...folder.settings, cwd });
  if (!found.ok) throw new Error(found.refused);
  return found.value;
}

/** Within so many milliseconds, on a machine that has other things to do. */
async function soon<Answer>(work: Promise<Answer>, limitMs = 15_000): Promise<Answer> {
  const from = performance.now();
  try {
    return await work;
  } finally {
    expect(performance.now() - from).toBeLessThan(limitMs);
  }
}

describe('git that waits for a pipe is ended, and the pipe is named,', () => {
  it.each([
    '.gitignore',
    '.gitattributes',
    'src/deep/.gitignore',
    'made/by/an agent/.gitignore',
    '.git/HEAD',
    '.git/config',
    '.git/commondir',
    '.git/index',
    '.git/info/exclude',
    '.git/packed-refs',
    '.git/refs/heads/main',
    'apart/.git/HEAD',
  ])('in the place of %s', async (name) => {
    const folder = createTestRepository(FILES);
    folder.git('init', '--quiet', 'apart');
    folder.write('src/b.txt', 'changed\n');
    const repository = await open(folder, join(folder.path, 'src'));
    const path = putPipe(folder, name);
    await expect(soon(readStatus(repository))).rejects.toMatchObject({
      message: `in the place of ${path} is a pipe, and git waits for it`,
      fix: `Remove it: rm ${path.includes(' ') ? `'${path}'` : path}`,
    });
  });

  it.each(['made/.gitattributes', '.git/info/attributes'])('in the place of %s, where files are stored', async (name) => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    const path = putPipe(folder, name);
    folder.write('made/new.txt', 'new\n');
    await expect(soon(changeIndex(repository.git, { write: ['made/new.txt'], remove: [] }))).rejects.toMatchObject({
      message: `in the place of ${path} is a pipe, and git waits for it`,
    });
    expect(folder.git('ls-files', 'made')).toBe('');
  });

  it.each(['COMMIT_EDITMSG', 'logs/HEAD'])('into which git writes: .git/%s', async (name) => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    const path = putPipe(folder, `.git/${name}`);
    const args = ['-c', 'core.logAllRefUpdates=true', 'commit', '--quiet', '--allow-empty', '-m', 'x'];
    expect(await soon(repository.git(args))).toMatchObject({
      ok: false,
      problem: `in the place of ${path} is a pipe, and git waits for it`,
    });
  });

  it.each(['info', 'refs/heads/main', 'commondir'] as const)('where a link or a file leads to it: %s', async (what) => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    const apart = createTestFolder();
    if (what === 'info') {
      execFileSync('mkfifo', [join(apart, 'exclude')]);
      rmSync(join(folder.path, '.git/info'), { recursive: true, force: true });
      folder.link('.git/info', apart);
    } else if (what === 'refs/heads/main') {
      execFileSync('mkfifo', [join(apart, 'pipe')]);
      rmSync(join(folder.path, '.git/refs/heads/main'), { force: true });
      folder.link('.git/refs/heads/main', join(apart, 'pipe'));
    } else {
      for (const name of ['objects', 'refs']) mkdirSync(join(apart, name));
      writeFileSync(join(apart, 'HEAD'), 'ref: refs/heads/main\n');
      execFileSync('mkfifo', [join(apart, 'commondir')]);
      folder.write('apart/.git', `gitdir: ${apart}\n`);
    }
    await expect(soon(readStatus(repository))).rejects.toThrow('is a pipe, and git waits for it');
  });

  it('not where another program reads one of its own, in the folder of git or behind a link: nothing of it is ended or blamed', async () => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    const apart = createTestFolder();
    const pipes = [join(apart, 'control'), join(folder.path, '.git/my-tool.pipe')];
    folder.link('.git/annex', apart);
    for (const path of pipes) execFileSync('mkfifo', [path]);
    const reader = spawn('cat', [pipes[0] ?? '']);
    onTestFinished(() => void reader.kill('SIGKILL'));
    const slow = ['-c', 'alias.slow=!sleep 3', 'slow'];
    expect(await soon(repository.git(slow))).toMatchObject({ problem: '' });
    expect(reader.exitCode).toBeNull();
  });

  it('behind a link, and in the folder that a file names as .git', async () => {
    for (const put of ['link', 'file'] as const) {
      const folder = createTestRepository(FILES);
      const repository = await open(folder);
      const apart = createTestFolder();
      for (const name of ['objects', 'refs']) mkdirSync(join(apart, name));
      execFileSync('mkfifo', [join(apart, 'HEAD')]);
      if (put === 'file') folder.write('apart/.git', `gitdir: ${apart}\n`);
      else folder.link('.git/packed-refs', join(apart, 'HEAD'));
      await expect(soon(readStatus(repository))).rejects.toThrow('is a pipe, and git waits for it');
    }
  });

  it.each(['HEAD', 'config', 'commondir'])('where a repository is looked for: %s', async (name) => {
    const folder = createTestRepository(FILES);
    const path = putPipe(folder, `.git/${name}`);
    expect(await soon(findRepository(folder.settings))).toEqual({
      ok: false,
      refused: `in the place of ${path} is a pipe, and git waits for it`,
    });
  });

  it('the next time at once; where it is gone, git is waited for again', async () => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    const path = putPipe(folder, '.git/packed-refs');
    await expect(soon(readStatus(repository))).rejects.toThrow(path);
    await expect(soon(readStatus(await open(folder)), 1500)).rejects.toThrow(path);
    rmSync(path);
    folder.git('pack-refs', '--all');
    folder.git('config', 'filter.slow.clean', 'sleep 0.4; cat');
    folder.write('.git/info/attributes', 'src/b.txt filter=slow\n');
    folder.write('src/b.txt', 'c\n');
    expect((await readStatus(repository)).entries.map((entry) => entry.path)).toEqual(['src/b.txt']);
  });

  it('however late git comes to it', async () => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    folder.git('config', 'filter.slow.clean', 'sleep 2.2; cat');
    folder.write('.git/info/attributes', 'src/* filter=slow\n');
    folder.write('src/b.txt', 'c\n');
    const path = putPipe(folder, 'made/.gitignore');
    await expect(soon(readStatus(repository), 20_000)).rejects.toThrow(path);
  });
});

describe('a pipe', () => {
  it('for which slow git does not wait is in nobody’s way: in what is ignored, in another repository, with another name', async () => {
    const folder = createTestRepository(FILES);
    const repository = await open(folder);
    folder.git('init', '--quiet', 'apart');
    for (const name of ['built/.gitignore', 'apart/.gitignore', 'made/pipe', 'src/deep/a.txt']) putPipe(folder, name);
    folder.git('config', 'filter.slow.clean', 'sleep 2.2; cat');
    folder.write('.git/info/attributes', 'src/b.txt filter=slow\n');
    folder.write('src/b.txt', 'c\n');
    expect((await readStatus(repository)).entries.map(({ path, unstaged }) => `${unstaged} ${path}`)).toEqual([
      'M src/b.txt',
      'D src/deep/a.txt',
      '? apart/',
      '? made/beside.txt',
      '? src/deep/beside.txt',
    ]);
  });

  it('in the place of a file of git that is read without git is not waited for', () => {
    const folder = createTestRepository(FILES);
    const gitDir = join(folder.path, '.git');
    putPipe(folder, '.git/commondir');
    putPipe(folder, '.git/worktrees/x/gitdir');
    expect(readGitPlaces(folder.path, gitDir)).toMatchObject({ gitDir, commonDir: gitDir });
    expect(isOwnWorktree(folder.path, { top: folder.path, gitDir: join(gitDir, 'worktrees/x') })).toBe(false);
    putPipe(folder, '.git');
    expect(readGitPlaces(folder.path, gitDir)).toMatchObject({ gitDir });
  });
});

it('a stop ends git that waits for a pipe at once', async () => {
  const folder = createTestRepository(FILES);
  putPipe(folder, '.git/packed-refs');
  const stop = new AbortController();
  const asked = createGit({ cwd: folder.path, env: folder.env })(['for-each-ref'], { abort: stop.signal });
  await delay(300);
  stop.abort();
  expect(await soon(asked, 1500)).toMatchObject({ ok: false, problem: 'git for-each-ref was stopped' });
});
