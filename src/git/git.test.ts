import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createGit, explainGitFailure, toGitFix } from './git.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('gives no key to a program that an agent wrote into the settings of the repository', async () => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  const seen = join(folder.path, '.git/seen');
  writeFileSync(join(folder.path, '.git/filter.sh'), `#!/bin/sh\nenv > '${seen}'\ncat\n`);
  folder.git('config', 'filter.x.clean', 'sh .git/filter.sh');
  folder.write('.gitattributes', '* filter=x\n');
  folder.write('a.txt', 'changed\n');
  const env = { ...folder.settings.env, MODEL_API_KEY: 'k1', GH_TOKEN: 'k2', GIT_AUTHOR_NAME: 'A. U. Thor' };
  await createGit({ cwd: folder.path, env })(['add', 'a.txt']);
  const names = readFileSync(seen, 'utf8').match(/^\w+(?==)/gm);
  expect(names).toContain('GIT_AUTHOR_NAME');
  expect(names).not.toContain('MODEL_API_KEY');
  expect(names).not.toContain('GH_TOKEN');
});

const exited = { status: 'exited', exitCode: 128, isStdoutCut: false, stderrTail: '' } as const;

describe('why a git command failed', () => {
  it('is git’s own first complaint', () => {
    const stderrTail = 'warning: something else\nerror: open("f"): Permission denied\nfatal: Unable to process path f\n';
    expect(explainGitFailure('update-index', { ...exited, stderrTail }, '/w')).toBe('open("f"): Permission denied');
  });

  it.each([
    [
      "git-lfs clean: 1: git-lfs: not found\nerror: external filter 'git-lfs clean' failed 127\nfatal: b.bin: clean filter 'lfs' failed\n",
      'git-lfs: not found',
    ],
    ['Preparing worktree\nfilter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly\n', 'git-lfs: not found'],
    [
      "error: cannot run git-lfs: No such file\nerror: initialization for subprocess 'git-lfs filter-process' failed\nfatal: the remote end hung up unexpectedly\n",
      'cannot run git-lfs',
    ],
    ['fatal: the remote end hung up unexpectedly\n', 'the remote end hung up'],
  ])('is a filter that fails, with what it said, and the fix is about filters: %j', (stderrTail, said) => {
    const text = explainGitFailure('worktree', { ...exited, stderrTail }, '/w');
    expect(text).toMatch(/^a filter of git.s configuration fails: /);
    expect(text).toContain(said);
    expect(toGitFix(text)).toContain("git config --show-origin --get-regexp '^filter'");
  });

  it.each([
    [
      'git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\nPlease make sure',
      'git@host: Permission denied (publickey).',
    ],
    ['send-pack: unexpected disconnect\nfatal: the remote end hung up unexpectedly\n', 'send-pack: unexpected disconnect'],
    ['error: RPC failed; HTTP 403\nfatal: the remote end hung up unexpectedly\n', 'RPC failed; HTTP 403'],
    ['fatal: the remote end hung up unexpectedly\n', 'the remote end hung up unexpectedly'],
  ])('of a push is what the other side said, and no filter: %j', (stderrTail, said) => {
    expect(explainGitFailure('push', { ...exited, stderrTail }, '/w')).toBe(said);
  });

  it.each([
    'git@host: Permission denied (publickey).',
    "Authentication failed for 'https://host/x'",
    "could not read Username for 'https://host': terminal prompts disabled",
    'The requested URL returned error: 403',
  ])('is mended by a login where the other side takes none or another: %s', (problem) => {
    expect(toGitFix(problem)).toMatch(/^Log in/);
  });

  it.each([
    "Author identity unknown\n\n*** Please tell me who you are.\n\nfatal: unable to auto-detect email address (got 'root@vm.(none)')\n",
    'fatal: empty ident name (for <>) not allowed\n',
    'fatal: no email was given and auto-detection is disabled\n',
  ])('is mended by a name and an address where git does not know who commits: %j', (stderrTail) => {
    expect(toGitFix(explainGitFailure('merge', { ...exited, stderrTail }, '/w'))).toMatch(
      /git config user\.name .*; git config user\.email /,
    );
  });

  it('has no fix of its own where git’s words say what to do', () => {
    expect(toGitFix('pathspec did not match')).toBeNull();
    expect(toGitFix('open("f"): Permission denied')).toBeNull();
  });

  it('is the exit code when git says nothing', () => {
    expect(explainGitFailure('write-tree', exited, '/w')).toBe('git write-tree failed (exit code 128)');
  });

  it('is told for a git that is missing, cannot be started, hangs, or says too much', () => {
    const failed = { ...exited, status: 'spawn-error', exitCode: null } as const;
    expect(explainGitFailure('status', { ...failed, error: { code: 'ENOENT', message: '' } }, '/w')).toBe('git was not found on the PATH');
    expect(explainGitFailure('status', { ...failed, error: { code: 'EMFILE', message: '' } }, '/w')).toContain('EMFILE');
    expect(explainGitFailure('status', { ...exited, stopReason: 'timeout' }, '/w')).toContain('took too long');
    expect(explainGitFailure('status', { ...exited, exitCode: 0, isStdoutCut: true }, '/w')).toContain('too many files');
  });

  it('is never longer than a person would read', () => {
    const text = explainGitFailure('status', { ...exited, stderrTail: `fatal: ${'x'.repeat(5000)}\n` }, '/w');
    expect(text.length).toBeLessThanOrEqual(300);
  });
});
