import { BUILT_IN_PROFILES, createNearMissFinder, type NearMissFinder } from '../../core/index.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Path } from '../located-value.ts';
import { quote } from '../value-finding.ts';
import { toWordRepair } from '../value-repair.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** For so many findings it is looked what was meant: among thousands of profiles each search takes its time. */
const MAX_SEARCHES = 100;

/** Every tool profile that is named is built in or defined under `profiles:` (decisions, section 6). */
export function checkProfiles(input: RuleInput): readonly Diagnostic[] {
  if (input.isBroken(['profiles'])) return [];
  const known = new Set([...BUILT_IN_PROFILES, ...Object.keys(input.declared.profiles ?? {})]);
  const profiles: Profiles = { known: [...known].slice(0, 20), finder: createNearMissFinder([...known], MAX_SEARCHES) };
  const named: (readonly [Path, string | undefined, string | null])[] = [
    [['ralph', 'profile'], input.declared.ralph?.profile, null],
    ...listHats(input).map(([id, hat]) => [['hats', id, 'profile'], hat.profile, id] as const),
  ];
  return named.flatMap(([path, name, hat]) =>
    name === undefined || known.has(name) ? [] : [toFinding(input, path, { name, hat }, profiles)],
  );
}

interface Profiles {
  /** Some of them, to be shown. */
  readonly known: readonly string[];
  readonly finder: NearMissFinder;
}

interface NamedProfile {
  readonly name: string;
  /** The hat that names it; `null` for Ralph. */
  readonly hat: string | null;
}

function toFinding(input: RuleInput, path: Path, { name, hat }: NamedProfile, { known, finder }: Profiles): Diagnostic {
  const near = finder.find(name);
  return findingAt(input, path, {
    code: 'profile-unknown',
    severity: 'error',
    message: `There is no profile ${quote(name)}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    why: 'A profile says which tools a hat may use. One that does not exist could hold nobody back.',
    fix: `Name one of: ${known.join(', ')}. Or define it:\n\nprofiles:\n  ${/^[\w-]{1,40}$/.test(name) ? name : 'my-profile'}:\n    allow: [fs, git]\n    require_read_only: true`,
    ...(hat === null ? {} : { hats: [hat] }),
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, finder.isOnly(name, near))] }),
  });
}
