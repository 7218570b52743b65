import { createNearMissFinder, type NearMissFinder } from '../../core/text/near-miss.ts';
import { BUILT_IN_PROFILES } from '../../core/tools/tool-profiles.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, listHats, type RuleInput } from './rule.ts';

/** For how many findings the meant name is searched: among thousands of profiles a search takes its time. */
const MAX_SEARCHES = 100;

/** Every tool profile that is named is built in or defined under `profiles:`, and none extends itself in a circle. */
export function checkProfiles(input: RuleInput): readonly Diagnostic[] {
  if (input.isBroken(['profiles'])) return [];
  const own = input.declared.profiles ?? {};
  const known = new Set([...BUILT_IN_PROFILES, ...Object.keys(own)]);
  const profiles: KnownProfiles = { known: [...known].slice(0, 20), finder: createNearMissFinder([...known], MAX_SEARCHES) };
  const named: (readonly [Path, string | undefined, string | null])[] = [
    [['ralph', 'profile'], input.declared.ralph?.profile, null],
    ...Object.entries(own).map(([name, profile]) => [['profiles', name, 'extends'], profile.extends, null] as const),
    ...listHats(input).flatMap(([id, { profile, panel }]) => [
      [['hats', id, 'profile'], profile, id] as const,
      ...(panel?.agents ?? []).map((agent, index) => {
        return [[...input.toItemPath(['hats', id, 'panel', 'agents'], index), 'profile'], agent.profile, id] as const;
      }),
    ]),
  ];
  const unknown = named.flatMap(([path, name, hat]) =>
    name === undefined || known.has(name) ? [] : [toFinding(input, path, { name, hat }, profiles)],
  );
  return [...unknown, ...findCircles(input)];
}

interface KnownProfiles {
  /** Some of them, to be shown. */
  readonly known: readonly string[];
  readonly finder: NearMissFinder;
}

interface NamedProfile {
  readonly name: string;
  /** The hat that names it; `null` for Ralph and for another profile. */
  readonly hat: string | null;
}

function toFinding(input: RuleInput, path: Path, { name, hat }: NamedProfile, { known, finder }: KnownProfiles): Diagnostic {
  const near = finder.find(name);
  return findingAt(input, path, {
    code: 'profile-unknown',
    severity: 'error',
    message: `There is no profile ${quote(name)}${endWithMeant(near)}`,
    why: 'A profile says which tools a hat may use. One that does not exist restricts nothing.',
    fix: `Name one of: ${known.join(', ')}. Or define it:\n\nprofiles:\n  ${/^[\w-]{1,40}$/.test(name) ? name : 'my-profile'}:\n    allow: [fs, git]\n    require_read_only: true`,
    ...(hat === null ? {} : { hats: [hat] }),
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, finder.isOnly(name, near))] }),
  });
}

/** Reports each circle once, at the first of its profiles in the file. */
function findCircles(input: RuleInput): readonly Diagnostic[] {
  const profiles = input.declared.profiles ?? {};
  const done = new Set<string>();
  const findings: Diagnostic[] = [];
  for (const start of Object.keys(profiles)) {
    const chain: string[] = [];
    let name: string | undefined = start;
    while (name !== undefined && Object.hasOwn(profiles, name) && !done.has(name)) {
      done.add(name);
      chain.push(name);
      const parent: string | undefined = profiles[name]?.extends;
      // A profile that extends its own name extends the built-in one that it replaces.
      name = parent === name && BUILT_IN_PROFILES.includes(parent) ? undefined : parent;
    }
    const begin = name === undefined ? -1 : chain.indexOf(name);
    if (begin >= 0) findings.push(toCircleFinding(input, chain.slice(begin)));
  }
  return findings;
}

function toCircleFinding(input: RuleInput, circle: readonly string[]): Diagnostic {
  const [first = ''] = circle;
  const names = [...circle.slice(0, 5), ...(circle.length > 5 ? ['…'] : []), first];
  return findingAt(input, ['profiles', first, 'extends'], {
    code: 'profile-circle',
    severity: 'error',
    message: `The profile ${quote(first)} extends itself: ${names.map((name) => quote(name)).join(' → ')}.`,
    why: 'It would have no starting point.',
    fix: 'Let one of them stand alone: remove its `extends`.',
  });
}
