import type { Diagnostic } from '../findings/located.ts';
import { findingAt, findingBetween, type RuleInput } from './rule.ts';

/** `event_loop` names one prompt, its pauses can grow, and a warning tells that checks are switched off. */
export function checkEventLoop(input: RuleInput): readonly Diagnostic[] {
  const loop = input.declared.event_loop ?? {};
  const findings: Diagnostic[] = [];
  if (loop.prompt !== undefined && loop.prompt.trim() !== '' && loop.prompt_file !== undefined) {
    findings.push(findingBetween(input, ['event_loop', 'prompt_file'], PROMPT_TWICE, ['event_loop', 'prompt'], 'The prompt is here.'));
  }
  const { base_seconds: baseMs, max_seconds: maxMs } = loop.retry ?? {};
  // Where one of them is not said, its default gives way.
  if (baseMs !== undefined && maxMs !== undefined && baseMs > maxMs) {
    findings.push(findingAt(input, ['event_loop', 'retry', 'max_seconds'], RETRY_BOUNDS));
  }
  if (loop.strict_validation === false) findings.push(findingAt(input, ['event_loop', 'strict_validation'], BYPASSED));
  return findings;
}

const PROMPT_TWICE = {
  code: 'prompt-twice',
  severity: 'error',
  message: 'Both `prompt` and `prompt_file` are set.',
  why: 'Only one of them could be followed.',
  fix: 'Remove one of the two.',
} as const;

const RETRY_BOUNDS = {
  code: 'retry-bounds',
  severity: 'error',
  message: 'The longest pause is shorter than the first one.',
  why: 'Pauses begin with `base_seconds` and grow to `max_seconds`.',
  fix: 'Set `max_seconds` to at least `base_seconds`.',
} as const;

const BYPASSED = {
  code: 'validation-bypassed',
  severity: 'warning',
  message: 'Hat collection validation bypassed (strict_validation: false).',
  why: 'Errors downgraded to warnings. This may cause undefined behavior.',
  fix: 'Remove `strict_validation: false` as soon as the collection is in order.',
} as const;
