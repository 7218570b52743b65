import type { Diagnostic } from '../findings/located.ts';
import { findingAt, findingBetween, type RuleInput } from './rule.ts';

/** `mode`, `coordinator` and `hats:` agree. */
export function checkMode(input: RuleInput): readonly Diagnostic[] {
  const { mode } = input.declared;
  if (mode === undefined) return [];
  const findings: Diagnostic[] = [];
  if (mode === 'single' && input.hatIds !== null)
    findings.push(findingBetween(input, ['mode'], SINGLE_WITH_HATS, ['hats'], 'The hats are here.'));
  const coordinator = input.declared.event_loop?.coordinator;
  const agrees = coordinator === undefined || coordinator === 'auto' || (mode === 'multi' && coordinator === 'hats');
  if (!agrees) findings.push(findingAt(input, ['event_loop', 'coordinator'], toConflict(mode, coordinator)));
  return findings;
}

const SINGLE_WITH_HATS = {
  code: 'mode-single-hats',
  severity: 'error',
  message: '`mode: single` has one agent and no hats, but there is a `hats:` key.',
  why: 'The hats would never run.',
  fix: 'Remove `mode: single` (or write `mode: multi`), or remove `hats:`.',
} as const;

function toConflict(mode: string, coordinator: string) {
  return {
    code: 'mode-coordinator',
    severity: 'error',
    message: `\`coordinator: ${coordinator}\` contradicts \`mode: ${mode}\`.`,
    why: `\`mode: ${mode}\` says already who coordinates: ${mode === 'single' ? 'one agent alone' : 'the hats themselves'}.`,
    fix: 'Remove one of the two.',
  } as const;
}
