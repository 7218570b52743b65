import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findRepositoryFolders } from './git-places.ts';

const bases: string[] = [];
afterEach(() => {
  for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true });
});

/** A folder with a repository `repo`, its worktree `tree`, and `other`, a repository of somebody else's. */
function createBase(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-repo-')));
  bases.push(base);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd: base, stdio: 'ignore' });
  for (const name of ['repo', 'other']) git('init', '-q', name);
  git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('-C', 'repo', 'worktree', 'add', '-q', '../tree');
  mkdirSync(join(base, 'repo/sub/deep'), { recursive: true });
  return base;
}

describe('the repository of a workspace', () => {
  it('is written where it is: in the workspace, above it, and of a worktree in the repository it came from', () => {
    const base = createBase();
    const written = ['repo', 'repo/sub/deep', 'tree'].map((name) => findRepositoryFolders(join(base, name)).written);
    expect(written).toEqual([[join(base, 'repo/.git')], [join(base, 'repo/.git')], [join(base, 'repo/.git')]]);
    expect(findRepositoryFolders(join(base, 'tree')).folders).toContain(join(base, 'repo/.git/worktrees/tree'));
  });

  it.each([
    ['a file that names the repository of somebody else', 'gitdir: ../other/.git'],
    ['a file that names a worktree of somebody else', 'gitdir: ../repo/.git/worktrees/tree'],
    ['a file that names a home', 'gitdir: ..'],
  ])('is not written by %s', (_, text) => {
    const base = createBase();
    mkdirSync(join(base, 'work'));
    writeFileSync(join(base, 'work/.git'), text);
    expect(findRepositoryFolders(join(base, 'work')).written).toEqual([]);
  });

  it('is not written where a link leads to it, or a worktree that was made up', () => {
    const base = createBase();
    mkdirSync(join(base, 'work/fake'), { recursive: true });
    symlinkSync(join(base, 'other/.git'), join(base, 'work/.git'));
    expect(findRepositoryFolders(join(base, 'work')).written).toEqual([]);
    rmSync(join(base, 'work/.git'));
    writeFileSync(join(base, 'work/.git'), 'gitdir: fake');
    writeFileSync(join(base, 'work/fake/gitdir'), '../.git');
    writeFileSync(join(base, 'work/fake/commondir'), '../../other/.git');
    expect(findRepositoryFolders(join(base, 'work')).written).toEqual([]);
  });
});
