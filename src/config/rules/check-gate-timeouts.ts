import type { Diagnostic } from '../findings/located.ts';
import { findingBetween, type Rule } from './rule.ts';

/** `timeout` and `timeout_seconds` of a gate agree. */
export const checkGateTimeouts: Rule = (input) =>
  (input.declared.gates ?? []).flatMap(({ timeout, timeout_seconds: seconds }, index): readonly Diagnostic[] => {
    if (timeout === undefined || seconds === undefined || timeout === seconds) return [];
    const gate = input.toItemPath(['gates'], index);
    const finding = {
      code: 'gate-timeout-twice',
      severity: 'error',
      message: '`timeout` and `timeout_seconds` of a gate differ.',
      why: 'Both are names of the same setting, and only one of them could be followed.',
      fix: 'Remove one of them.',
    } as const;
    return [findingBetween(input, [...gate, 'timeout'], finding, [...gate, 'timeout_seconds'], '`timeout_seconds` is here.')];
  });
