import { describe, expect, it } from 'vitest';
import { explainGitFailure } from './explain-git-failure.ts';

const exited = { status: 'exited', exitCode: 128, isStdoutCut: false, stderrTail: '' } as const;

describe('why a git command failed', () => {
  it('is git’s own first complaint', () => {
    const stderrTail = 'warning: something else\nerror: open("f"): Permission denied\nfatal: Unable to process path f\n';
    expect(explainGitFailure('update-index', { ...exited, stderrTail }, '/w')).toBe('open("f"): Permission denied');
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
