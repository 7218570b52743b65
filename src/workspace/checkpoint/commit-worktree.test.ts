import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createPlainFolder,
  createTestRepository,
  removeTestFolders,
  type TestFolder,
  type TestFolderOptions,
} from '../repository-fixtures.ts';
import { createWorktree } from '../worktree/create-worktree.ts';

afterAll(removeTestFolders);

interface Bench {
  readonly repo: TestFolder;
  readonly tree: TestFolder;
  /** Lets an agent work in it, then ends the run. */
  readonly end: (work: (tree: TestFolder) => void) => Promise<{ readonly commit: string | null; readonly note: string }>;
}

async function open(links: readonly string[] = [], options: TestFolderOptions = {}): Promise<Bench> {
  const repo = createTestRepository({ 'kept.txt': 'kept\n', '.gitignore': 'ignored\n' }, options);
  repo.write('shared/x', 'x');
  const place = await createWorktree({ ...repo.settings, stateDir: '.ralph', name: 'fix', links, reuse: false });
  const tree = createPlainFolder({ ...options, path: place.path });
  const baseline = await tree.capture();
  return {
    repo,
    tree,
    end: async (work) => {
      const workspace = tree.workspace(baseline);
      await workspace.snapshot('1.1', 'before');
      work(tree);
      return workspace.commitRest(place, 'ralph: Mend the login');
    },
  };
}

const main = (repo: TestFolder): string => repo.git('rev-parse', 'main');

describe('the end of a run in a worktree', () => {
  it('commits what is not committed: new, changed, removed, renamed and binary files, staged or not', async () => {
    const { repo, tree, end } = await open();
    const before = main(repo);
    const { commit, note } = await end(({ write, remove, git }) => {
      write('new\nline.txt', 'x');
      write('deep/er/bin.dat', '\0\u0001');
      git('add', 'deep');
      write('moved.txt', 'kept\n');
      remove('kept.txt');
      write('ignored', 'secret');
      write('.agent/scratchpad.md', 'notes');
    });
    expect(note).toBe('');
    expect(tree.changes(commit ?? '')).toEqual(['A deep/er/bin.dat', 'D kept.txt', 'A moved.txt', 'A new\nline.txt']);
    expect(tree.git('log', '-1', '--format=%s|%an|%b', 'ralph/fix')).toContain('ralph: Mend the login|Uma User|Ralph-Run: run-1');
    // What was the person's own stays uncommitted.
    expect(tree.status()).toEqual(['?? .agent/scratchpad.md', '?? shared/x']);
    expect(main(repo)).toBe(before);
  });

  it('commits nothing where nothing is left', async () => {
    const { tree, end } = await open();
    const { commit } = await end(() => undefined);
    expect([commit, tree.git('log', '--format=%s')]).toEqual([null, 'first\n']);
  });

  it('has an author where git was told none, and runs no hook', async () => {
    const { repo, tree, end } = await open([], { isNameless: true });
    repo.write('.git/hooks/pre-commit', '#!/bin/sh\ntouch ran\nexit 1\n');
    repo.makeExecutable('.git/hooks/pre-commit');
    const { commit } = await end(({ write }) => write('a', 'a'));
    expect(commit).not.toBeNull();
    expect(tree.git('log', '-1', '--format=%an')).toBe('Ralph\n');
    expect(existsSync(join(tree.path, 'ran'))).toBe(false);
  });

  it('leaves out what was linked, and another repository that was made in it', async () => {
    const { tree, end } = await open(['shared']);
    const { commit } = await end(({ write, path, git }) => {
      write('a', 'a');
      mkdirSync(join(path, 'inner'));
      git('init', '-q', 'inner');
      writeFileSync(join(path, 'inner/file'), 'x');
    });
    expect(tree.changes(commit ?? '')).toEqual(['A a']);
  });

  it('commits nothing during a merge, and says so', async () => {
    const { tree, end } = await open();
    const { commit, note } = await end(({ git, write }) => {
      git('switch', '-qc', 'other');
      write('kept.txt', 'theirs\n');
      git('commit', '-qam', 'theirs');
      git('switch', '-q', 'ralph/fix');
      write('kept.txt', 'ours\n');
      git('commit', '-qam', 'ours');
      expect(() => git('merge', 'other')).toThrow();
    });
    expect([commit, note]).toEqual([null, 'no checkpoint during a merge']);
    expect(tree.status()).toEqual(['UU kept.txt', '?? shared/x']);
  });

  it.each([
    ['another branch', ['switch', '-qc', 'other']],
    ['no branch', ['switch', '-q', '--detach']],
    ['a branch with another name', ['branch', '-m', 'renamed']],
  ])('brings its branch along where an agent went to %s', async (_, words) => {
    const { repo, tree, end } = await open();
    const { commit, note } = await end(({ git, write }) => {
      git(...words);
      write('a', 'a');
    });
    expect(note).toBe('');
    expect(repo.git('rev-parse', 'ralph/fix')).toBe(`${commit}\n`);
    expect(tree.git('rev-parse', 'HEAD')).toBe(`${commit}\n`);
  });

  it('commits nothing on a branch that is not its own, and says where the work is when its own has other commits', async () => {
    const { repo, tree, end } = await open();
    const { commit, note } = await end(({ git, write }) => {
      git('commit', '-q', '--allow-empty', '-m', 'one');
      git('switch', '-qc', 'other', 'HEAD~1');
      write('a', 'a');
    });
    expect([commit, note]).toEqual([null, 'the worktree is on other, whose commits ralph/fix has not']);
    expect(repo.git('log', '-1', '--format=%s', 'ralph/fix')).toBe('one\n');
    expect(repo.git('log', '-1', '--format=%s', 'other')).toBe('first\n');
    expect(tree.status()).toContain('?? a');
  });

  it.each([
    ['leads to the main checkout', (tree: TestFolder, repo: TestFolder) => tree.write('.git', `gitdir: ${repo.path}/.git\n`)],
    ['is gone', (tree: TestFolder) => tree.remove('.git')],
  ])('touches no branch where its .git %s', async (_, breakIt) => {
    const { repo, end } = await open();
    const before = repo.git('for-each-ref', 'refs/heads');
    const { commit, note } = await end((tree) => {
      tree.write('a', 'a');
      breakIt(tree, repo);
    });
    expect([commit, repo.git('for-each-ref', 'refs/heads')]).toEqual([null, before]);
    expect(note).not.toBe('');
  });
});
