import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { findingBetween, type Rule } from './rule.ts';

/** Gates have different names: reports, `blocked_by` and counts of failures in a row use them. */
export const checkGateNames: Rule = (input) => {
  const known = new Map<string, number>();
  return (input.declared.gates ?? []).flatMap(({ name }, index): readonly Diagnostic[] => {
    const first = name === undefined ? undefined : known.get(name);
    if (name === undefined) return [];
    if (first === undefined) {
      known.set(name, index);
      return [];
    }
    const toPath = (place: number): readonly (string | number)[] => [...input.toItemPath(['gates'], place), 'name'];
    const finding = {
      code: 'gate-name-twice',
      severity: 'error',
      message: `Two gates are called ${quote(name)}.`,
      why: 'A failure of one would be taken for a failure of the other, in reports and in counts of failures in a row.',
      fix: 'Give each its own name, or none: then it is called by its command.',
    } as const;
    return [findingBetween(input, toPath(index), finding, toPath(first), 'The first is here.')];
  });
};
