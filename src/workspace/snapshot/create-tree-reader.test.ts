import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreeReader } from '../../ports/tree-reader.ts';
import { createTreeReader } from './create-tree-reader.ts';

const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ralph-tree-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function git(...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd, env, stdio: 'ignore' });
}

function write(path: string, text: string): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

function open(folder = cwd): TreeReader {
  return createTreeReader({ cwd: folder, env, stateDirs: ['.ralph', '.agent'] });
}

async function hashOf(reader: TreeReader): Promise<string> {
  const state = await reader.read();
  if (state === null) throw new Error('nothing was seen');
  return state.hash;
}

/** What a change does to the hash that one reader tells. */
async function isNoticed(change: () => void): Promise<boolean> {
  const reader = open();
  const before = await hashOf(reader);
  change();
  return (await hashOf(reader)) !== before;
}

describe.each([
  ['in a repository', true],
  ['outside of one', false],
])('the files of a workspace %s', (_name, isRepository) => {
  beforeEach(() => {
    write('a.txt', 'a');
    write('src/b.txt', 'b');
    if (!isRepository) return;
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });

  it('have the same hash for another reader', async () => {
    expect(await hashOf(open())).toBe(await hashOf(open()));
  });

  it('are told by their path from the workspace', async () => {
    expect([...((await open().read())?.files.keys() ?? [])].sort()).toEqual(['a.txt', 'src/b.txt']);
  });

  it.each<[string, () => void]>([
    ['a file is written', () => write('a.txt', 'b')],
    ['a file is made', () => write('new.txt', '')],
    ['a file is removed', () => unlinkSync(join(cwd, 'a.txt'))],
    ['a file is renamed', () => renameSync(join(cwd, 'a.txt'), join(cwd, 'c.txt'))],
    ['a file may be executed', () => execFileSync('chmod', ['+x', join(cwd, 'a.txt')])],
    [
      'a file becomes a link',
      () => {
        unlinkSync(join(cwd, 'a.txt'));
        symlinkSync('src/b.txt', join(cwd, 'a.txt'));
      },
    ],
  ])('have another hash when %s', async (_what, change) => {
    expect(await isNoticed(change)).toBe(true);
  });

  it('have another hash when a content of the same length is written and the time is put back', async () => {
    const { atime, mtime } = statSync(join(cwd, 'a.txt'));
    expect(
      await isNoticed(() => {
        write('a.txt', 'x');
        utimesSync(join(cwd, 'a.txt'), atime, mtime);
      }),
    ).toBe(true);
  });

  it.runIf(process.platform === 'linux')(
    'are not told apart where a name cannot be read, so that nobody takes them for unchanged',
    async () => {
      writeFileSync(Buffer.concat([Buffer.from(`${cwd}/x`), Buffer.from([0xff])]), 'a');
      expect(await open().read()).toBeNull();
    },
  );

  it('have the same hash again when a change is taken back', async () => {
    const reader = open();
    const before = await hashOf(reader);
    write('a.txt', 'x');
    await reader.read();
    write('a.txt', 'a');
    expect(await hashOf(reader)).toBe(before);
  });

  it('do not count the state of the loop, a touched file, or node_modules', async () => {
    if (isRepository) write('.gitignore', 'node_modules\n');
    expect(
      await isNoticed(() => {
        write('.agent/events.jsonl', 'x');
        write('.ralph/run', 'x');
        write('node_modules/x/index.js', 'x');
        utimesSync(join(cwd, 'a.txt'), 1, 1);
      }),
    ).toBe(false);
  });
});

describe('in a repository', () => {
  beforeEach(() => {
    write('a.txt', 'a');
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
  });

  it('a commit of what is there changes nothing', async () => {
    write('a.txt', 'b');
    expect(await isNoticed(() => git('commit', '-q', '-a', '-m', 'second'))).toBe(false);
  });

  it('a change that git is told to overlook is seen', async () => {
    expect(
      await isNoticed(() => {
        git('update-index', '--assume-unchanged', 'a.txt');
        write('a.txt', 'hidden');
      }),
    ).toBe(true);
  });

  it('what is staged, unstaged or tracked no more is seen as what it is then', async () => {
    const reader = open();
    const first = await hashOf(reader);
    write('b.txt', 'b');
    const withFile = await hashOf(reader);
    git('add', 'b.txt');
    expect(await hashOf(reader)).toBe(withFile);
    git('rm', '-q', '--cached', 'b.txt');
    expect(await hashOf(reader)).toBe(withFile);
    unlinkSync(join(cwd, 'b.txt'));
    expect(await hashOf(reader)).toBe(first);
  });

  it('a file in a submodule is looked at', async () => {
    git('init', '-q', 'inner');
    git('-C', 'inner', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', `${cwd}/inner`, 'module');
    expect(await isNoticed(() => write('module/x.txt', 'x'))).toBe(true);
  });

  it('rules of a repository that took the place of the first are the rules', async () => {
    git('worktree', 'add', '-q', 'tree', '-b', 'other');
    git('init', '-q', '--bare', 'second');
    const reader = open(join(cwd, 'tree'));
    await reader.read();
    write('tree/.git', `gitdir: ${cwd}/second\n`);
    execFileSync('git', ['config', 'core.bare', 'false'], { cwd: join(cwd, 'second'), env });
    const before = await hashOf(reader);
    write('second/info/exclude', '*.test.js\n');
    write('tree/hidden.test.js', '');
    expect(await hashOf(reader)).not.toBe(before);
  });

  it('another repository inside it is looked at file by file', async () => {
    mkdirSync(join(cwd, 'inner'));
    execFileSync('git', ['init', '-q'], { cwd: join(cwd, 'inner'), env });
    write('inner/x.txt', 'x');
    expect(await isNoticed(() => write('inner/x.txt', 'y'))).toBe(true);
  });

  it('a workspace below its top sees what is above it as well', async () => {
    write('app/x.txt', 'x');
    const state = await open(join(cwd, 'app')).read();
    expect([...(state?.files.keys() ?? [])].sort()).toEqual(['../a.txt', 'x.txt']);
  });
});

describe('a workspace that is not there', () => {
  it('is told as unknown', async () => {
    rmSync(cwd, { recursive: true });
    expect(await open().read()).toBeNull();
  });
});

describe('a file that is hidden from the repository', () => {
  beforeEach(() => {
    git('init');
    write('a.txt', 'a');
    write('.gitignore', 'dist/\n');
  });

  it.each([
    ['.git/info/exclude', () => write('.git/info/exclude', 'hidden.test.js\n')],
    ['core.excludesFile', () => git('config', 'core.excludesFile', '.git/my-ignore')],
    ['a folder that ignores itself', () => write('hidden/.gitignore', '*\n')],
    ['another file of rules that hides itself', () => write('src/.gitignore', '.gitignore\n*.test.js\n')],
  ])('is noticed by the rule: %s', async (_, hide) => {
    write('src/b.txt', 'b');
    write('.git/my-ignore', 'hidden.test.js\n');
    expect(await isNoticed(hide)).toBe(true);
  });

  it('is noticed by what the file of rules says now, also for gates on some files only', async () => {
    write('.git/my-ignore', '');
    git('config', 'core.excludesFile', '.git/my-ignore');
    const before = await open().read();
    write('.git/my-ignore', 'hidden.test.js\n');
    const after = await open().read();
    expect(after?.rules).not.toBe(before?.rules);
    expect(after?.files).toEqual(before?.files);
  });

  it('does not count where it was ignored all along', async () => {
    write('dist/a.js', '');
    expect(await isNoticed(() => write('dist/b.js', 'b'))).toBe(false);
  });
});
