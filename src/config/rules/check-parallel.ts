import type { Finding } from '../../core/schema/finding.ts';
import { type AloneCause, type CompiledBackends, compileParallel, findAloneCause, mayWorkInCopies } from '../compile/compile-backends.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import type { DeclaredHat } from '../keys/settings-table.ts';
import { findingAt, findingBetween, listHats, type RuleInput } from './rule.ts';

/** `parallel` does something, and says for whom it does not. */
export function checkParallel(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  return [
    ...checkLoop(input),
    ...listHats(input).flatMap(([id, hat]) => [...checkAlone(input, id, backends), ...checkHat(input, id, hat)]),
  ];
}

function checkLoop(input: RuleInput): readonly Diagnostic[] {
  const { event_loop: loop, max_parallel: max } = input.declared;
  if (loop?.parallel !== true) return max === undefined ? [] : [findingAt(input, ['max_parallel'], MAX_ALONE)];
  if (loop.routing !== 'fanout') return [findingAt(input, ['event_loop', 'parallel'], NO_FANOUT)];
  return compileParallel(input.declared).maxParallel === 1 ? [findingAt(input, ['max_parallel'], MAX_ONE)] : [];
}

function checkAlone(input: RuleInput, id: string, backends: CompiledBackends): readonly Diagnostic[] {
  const { declared } = input;
  const cause = mayWorkInCopies(id, declared) ? findAloneCause(id, declared, backends) : null;
  if (cause === null) return [];
  const isOwn = (declared.hats?.[id]?.parallel ?? 1) > 1;
  const by = isOwn ? ['hats', id, 'parallel'] : ['event_loop', 'parallel'];
  const words = isOwn ? 'Its turns work at the same time by this.' : 'Hats work at the same time by this.';
  // That nobody does is told already.
  if (!isOwn && compileParallel(declared).maxParallel === 1) return [];
  return [findingBetween(input, ['hats', id], toAloneFinding(id, cause), by, words)];
}

/** What a hat says of itself beside what else is said. */
function checkHat(input: RuleInput, id: string, { takes, parallel }: DeclaredHat): readonly Diagnostic[] {
  if (parallel === undefined) return [];
  const at = ['hats', id, 'parallel'];
  const { maxParallel = 1 } = compileParallel(input.declared);
  const tooMany = maxParallel > 1 && parallel > maxParallel;
  return [
    ...(takes === 'all'
      ? [findingBetween(input, ['hats', id, 'takes'], toTakesFinding(id), at, 'Each turn is given one event by this.')]
      : []),
    ...(tooMany ? [findingAt(input, at, toManyFinding(id, parallel, maxParallel))] : []),
  ];
}

function toTakesFinding(hat: string): Finding {
  return {
    code: 'hat-parallel',
    severity: 'warning',
    message: `\`takes: all\` does nothing here, because ${quote(hat, "'")} has \`parallel\`.`,
    why: 'Turns that work at the same time are given one event each.',
    fix: 'Remove `takes`, or remove `parallel`.',
    hats: [hat],
  };
}

function toManyFinding(hat: string, parallel: number, max: number): Finding {
  return {
    code: 'hat-parallel',
    severity: 'warning',
    message: `${quote(hat, "'")} says \`parallel: ${parallel}\`, and no more than ${max} turns of all hats work at the same time.`,
    why: 'Under `event_loop.parallel` the limit for all is `max_parallel`.',
    fix: 'Raise `max_parallel`, or lower `parallel` of the hat.',
    hats: [hat],
  };
}

const NO_FANOUT = {
  code: 'parallel-without-fanout',
  severity: 'warning',
  message: '`parallel: true` does nothing here, because routing is exclusive.',
  why: 'Under `routing: exclusive` an event goes to one hat, and hats take turns. Only under `routing: fanout` do they work at the same time.',
  fix: 'Add `routing: fanout` to `event_loop`, or remove `parallel`.',
} as const satisfies Finding;

const MAX_ALONE = {
  code: 'parallel-without-fanout',
  severity: 'warning',
  message: '`max_parallel` does nothing here, because hats take turns.',
  why: 'It says how many hats work at the same time under `event_loop.parallel: true`.',
  fix: 'Add `routing: fanout` and `parallel: true` to `event_loop`, or remove `max_parallel`. For several turns of one hat: `hats.<id>.parallel`; for the agents of a panel: `panel.max_parallel`.',
} as const satisfies Finding;

const MAX_ONE = {
  code: 'parallel-without-fanout',
  severity: 'warning',
  message: '`parallel: true` does nothing here, because `max_parallel` is 1.',
  why: 'One hat at a time is what there is without it.',
  fix: 'Raise `max_parallel`, or remove `parallel`.',
} as const satisfies Finding;

const CAUSES: Readonly<Record<AloneCause, string>> = {
  safe: 'the run is to be safe (`safe: true`)',
  sandbox: 'it may not work without a sandbox',
  panel: 'a panel wears it, whose agents work in copies already',
  profile: 'a profile holds its agent CLI back',
};

function toAloneFinding(hat: string, cause: AloneCause): Finding {
  return {
    code: 'parallel-alone',
    severity: 'hint',
    message: `The hat ${quote(hat, "'")} takes its turns alone, because ${CAUSES[cause]}.`,
    why: 'Turns that run at the same time work in copies of the folder, and what holds an agent back is opened for the folder itself.',
    fix:
      cause === 'profile'
        ? 'Let a native agent wear it, whose tools the profile binds in a copy, too; or leave it as it is.'
        : 'Leave it as it is, or work without that.',
    hats: [hat],
  };
}
