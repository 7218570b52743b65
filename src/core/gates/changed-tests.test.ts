import { describe, expect, it } from 'vitest';
import { findChangedTestsReason } from './changed-tests.ts';

describe('why tests were changed, as a claim states it', () => {
  it.each([
    ['a line of its own', 'Done.\nCHANGED_TESTS: f is to return 3 now\nLOOP_COMPLETE', 'f is to return 3 now'],
    ['a line in bold', '**CHANGED_TESTS:** f is to return 3 now', 'f is to return 3 now'],
    ['the first line that is one', 'CHANGED_TESTS: <why>\nCHANGED_TESTS: yes\nCHANGED_TESTS: f is to return 3', 'f is to return 3'],
    ['an item of a list', '- CHANGED_TESTS: the task renames f to g', 'the task renames f to g'],
    ['a field of a payload', { summary: 'ok', evidence: 'CHANGED_TESTS: the task renames f' }, 'the task renames f'],
  ])('is %s', (_name, claim, reason) => {
    expect(findChangedTestsReason('', claim)).toBe(reason);
  });

  it.each([
    ['within a sentence', 'I saw CHANGED_TESTS: but did nothing of the kind'],
    ['without a reason', 'CHANGED_TESTS:\nLOOP_COMPLETE'],
    ['with a word for a reason', 'CHANGED_TESTS: yes'],
    ['with what stands for one', 'CHANGED_TESTS: <what in the task asks for it>'],
    ['deeper in a payload', { a: { b: 'CHANGED_TESTS: the task renames f' } }],
    ['in no text', [1, null, true]],
  ])('is none %s', (_name, claim) => {
    expect(findChangedTestsReason(claim)).toBeNull();
  });

  it('is cut where it is long, and found in time in a long text', () => {
    expect(findChangedTestsReason(`CHANGED_TESTS: ${'a'.repeat(10_000)}`)).toHaveLength(300);
    expect(findChangedTestsReason(`${'- > * _'.repeat(20_000)}\n${' \t'.repeat(20_000)}x`)).toBeNull();
  });
});
