import type { Diagnostic } from '../diagnostic.ts';
import type { DeclaredHat } from '../settings-table.ts';
import { TRIGGER_KEYS, triggersOf } from '../trigger-names.ts';
import { quote } from '../value-finding.ts';
import { findingAt, findingBetween, listHats, type RuleInput } from './rule.ts';

/** Every hat can be woken, and says by what in one way. */
export function checkTriggers(input: RuleInput): readonly Diagnostic[] {
  return listHats(input).flatMap(([id, hat]) => {
    if (TRIGGER_KEYS.some((key) => input.isBroken(['hats', id, key]))) return [];
    return triggersOf(hat).length === 0 ? [toMissing(input, id, hat)] : findConflicts(input, id, hat);
  });
}

function toMissing(input: RuleInput, id: string, hat: DeclaredHat): Diagnostic {
  const written = TRIGGER_KEYS.find((key) => hat[key] !== undefined);
  return findingAt(
    input,
    written === undefined ? ['hats', id] : ['hats', id, written],
    {
      code: 'triggers-missing',
      severity: 'error',
      message: `Hat ${quote(id, "'")} has no triggers.`,
      why: 'Nothing could ever wake it.',
      fix: `Name the topics that wake it:\n\nhats:\n  ${id}:\n    triggers: [task.start]`,
    },
    'key',
  );
}

function findConflicts(input: RuleInput, id: string, hat: DeclaredHat): readonly Diagnostic[] {
  const [first, ...others] = TRIGGER_KEYS.filter((key) => hat[key] !== undefined);
  if (first === undefined) return [];
  return others.flatMap((key) => {
    if (isSameSet(hat[first] ?? [], hat[key] ?? [])) return [];
    const finding = {
      code: 'triggers-conflict',
      severity: 'error',
      message: `\`${first}\` and \`${key}\` of hat ${quote(id, "'")} differ.`,
      why: 'Both are names of the same setting, and only one of them could be followed.',
      fix: `Put all topics under \`triggers:\` and remove \`${key}\`.`,
    } as const;
    return [findingBetween(input, ['hats', id, key], finding, ['hats', id, first], `\`${first}\` is here.`)];
  });
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const a = new Set(left);
  const b = new Set(right);
  return a.size === b.size && [...a].every((item) => b.has(item));
}
