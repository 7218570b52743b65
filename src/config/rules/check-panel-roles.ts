import { RALPH } from '../../core/events/reserved.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import type { DeclaredPanel } from '../keys/settings-table.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, listHats, type Rule, type RuleInput } from './rule.ts';

/** Who writes one answer from all, who gets conflicts, and what judges answers: all of them are there. */
export const checkPanelRoles: Rule = (input) =>
  listHats(input).flatMap(([hat, { panel }]) => {
    if (panel === undefined) return [];
    const path = ['hats', hat, 'panel'];
    return [
      ...checkSynthesizer({ input, hat, path }, panel),
      ...checkConflicts({ input, hat, path }, panel),
      ...checkGates({ input, hat, path }, panel),
    ];
  });

interface DeclaredPanelPlace {
  readonly input: RuleInput;
  readonly hat: string;
  readonly path: Path;
}

function checkSynthesizer(
  { input, hat, path }: DeclaredPanelPlace,
  { synthesizer, agents = [], strategy, tie }: DeclaredPanel,
): readonly Diagnostic[] {
  if (synthesizer === undefined) return [];
  const at = [...path, 'synthesizer'];
  const ids = agents.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (!ids.includes(synthesizer)) {
    const near = findNearMiss(synthesizer, ids);
    return [
      findingAt(input, at, {
        code: 'panel-synthesizer',
        severity: 'error',
        message: `This panel has no agent ${quote(synthesizer)} to write one answer from all.`,
        why: 'The synthesizer is one of `agents`, and does nothing else there.',
        fix: ids.length === 0 ? 'Add it to `agents`.' : `Add it to \`agents\`, or name one of them: ${ids.join(', ')}.`,
        hats: [hat],
        ...(near === undefined ? {} : { repairs: [toWordRepair(near, true)] }),
      }),
    ];
  }
  if (strategy === 'synthesize' || tie === 'synthesizer') return [];
  return [
    findingAt(input, at, {
      code: 'panel-synthesizer',
      severity: 'warning',
      message: `The agent ${quote(synthesizer)} of this panel will never do anything.`,
      why: 'A synthesizer neither answers nor votes, and with these settings no answer is written from all.',
      fix: 'Write `strategy: synthesize` or `tie: synthesizer`, or leave out `synthesizer`.',
      hats: [hat],
    }),
  ];
}

function checkConflicts({ input, hat, path }: DeclaredPanelPlace, { conflicts }: DeclaredPanel): readonly Diagnostic[] {
  const hats = input.hatIds ?? [];
  if (conflicts === undefined || conflicts === RALPH || hats.includes(conflicts)) return [];
  const near = findNearMiss(conflicts, hats);
  const finding: Finding = {
    code: 'panel-conflicts',
    severity: 'error',
    message: `There is no hat ${quote(conflicts)} to get the conflicts of this panel.`,
    why: 'Work that cannot be taken over would wait for nobody.',
    fix: `Name a hat or \`ralph\`. Hats: ${hats.join(', ')}.`,
    hats: [hat],
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, true)] }),
  };
  return [findingAt(input, [...path, 'conflicts'], finding)];
}

function checkGates({ input, hat, path }: DeclaredPanelPlace, { strategy }: DeclaredPanel): readonly Diagnostic[] {
  if (strategy !== 'best_of') return [];
  const gates = input.declared.gates ?? [];
  if (gates.some(({ required, hats }) => required !== false && (hats === undefined || hats.includes(hat)))) return [];
  return [
    findingAt(input, [...path, 'strategy'], {
      code: 'panel-no-gates',
      severity: 'warning',
      message: 'No gate judges the answers of this panel.',
      why: 'With `best_of` gates decide which answers are voted on. Without one it is a vote like any other, unless Ralph finds a command for the tests of the project.',
      fix: 'Add one, such as:\n\ngates:\n  - run: npm test',
      hats: [hat],
    }),
  ];
}
