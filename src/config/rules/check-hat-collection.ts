import type { Diagnostic } from '../findings/located.ts';
import { findingAt, type RuleInput } from './rule.ts';

/** `hats:` has at least one hat, and a coordination by hats has `hats:`. */
export function checkHatCollection(input: RuleInput): readonly Diagnostic[] {
  if (input.hatIds !== null && input.hatIds.length === 0 && !input.isBroken(['hats'])) return [findingAt(input, ['hats'], EMPTY, 'key')];
  if (input.hatIds !== null) return [];
  if (input.declared.mode === 'multi') return [findingAt(input, ['mode'], toMissing('mode: multi'))];
  if (input.declared.event_loop?.coordinator === 'hats') {
    return [findingAt(input, ['event_loop', 'coordinator'], toMissing('coordinator: hats'))];
  }
  return [];
}

const EMPTY = {
  code: 'hats-empty',
  severity: 'error',
  message: 'Hat collection is empty.',
  why: 'A hat collection must contain at least one hat. Without hats, Ralph has nothing to execute.',
  fix: 'Add at least one hat:\n\nhats:\n  worker:\n    triggers: [task.start, task.resume]\n\nor remove `hats:` to let Ralph work alone.',
} as const;

function toMissing(setting: string) {
  return {
    code: 'hats-missing',
    severity: 'error',
    message: `\`${setting}\` needs hats, and there is no \`hats:\` key.`,
    why: 'Hats that coordinate themselves must exist.',
    fix: `Add \`hats:\`, or remove \`${setting}\` to let Ralph work alone.`,
  } as const;
}
