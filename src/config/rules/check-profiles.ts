import { BUILT_IN_PROFILES, findNearMiss, isOnlyNearMiss } from '../../core/index.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Path } from '../located-value.ts';
import { quote } from '../value-finding.ts';
import { toWordRepair } from '../value-repair.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** Every tool profile that is named is built in or defined under `profiles:` (decisions, section 6). */
export function checkProfiles(input: RuleInput): readonly Diagnostic[] {
  if (input.isBroken(['profiles'])) return [];
  const known = [...new Set([...BUILT_IN_PROFILES, ...Object.keys(input.declared.profiles ?? {})])];
  const named: (readonly [Path, string | undefined, string | null])[] = [
    [['ralph', 'profile'], input.declared.ralph?.profile, null],
    ...listHats(input).map(([id, hat]) => [['hats', id, 'profile'], hat.profile, id] as const),
  ];
  return named.flatMap(([path, name, hat]) =>
    name === undefined || known.includes(name) ? [] : [toFinding(input, path, name, hat, known)],
  );
}

function toFinding(input: RuleInput, path: Path, name: string, hat: string | null, known: readonly string[]): Diagnostic {
  const near = findNearMiss(name, known);
  return findingAt(input, path, {
    code: 'profile-unknown',
    severity: 'error',
    message: `There is no profile ${quote(name)}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    why: 'A profile says which tools a hat may use. One that does not exist could hold nobody back.',
    fix: `Name one of: ${known.slice(0, 20).join(', ')}. Or define it:\n\nprofiles:\n  ${/^[\w-]{1,40}$/.test(name) ? name : 'my-profile'}:\n    allow: [fs, git]\n    require_read_only: true`,
    ...(hat === null ? {} : { hats: [hat] }),
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, isOnlyNearMiss(name, near, known))] }),
  });
}
