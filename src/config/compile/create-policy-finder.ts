import { BUILT_IN_POLICIES, EMPTY_POLICY, type ProfilePolicy } from '../../core/tools/tool-profiles.ts';
import { readOwn } from '../../core/values/json.ts';
import type { Declared } from '../keys/settings-table.ts';

/** The longest chain of `extends` that is followed; a rule reports circles. */
const MAX_PARENTS = 20;

type DeclaredProfiles = NonNullable<Declared['profiles']>;

/**
 * Looks up profiles by name; each is put together once. An unknown name, which a rule reports, is a profile that allows nothing.
 */
export function createPolicyFinder(profiles: DeclaredProfiles): (name: string) => ProfilePolicy {
  const known = new Map<string, ProfilePolicy>();
  return (name) => {
    const policy = known.get(name) ?? toPolicy(profiles, name, MAX_PARENTS);
    known.set(name, policy);
    return policy;
  };
}

function toPolicy(profiles: DeclaredProfiles, name: string, left: number): ProfilePolicy {
  const own = readOwn(profiles, name);
  if (own === undefined || left === 0) return findBuiltIn(name);
  const parent = findParent(profiles, name, own.extends, left);
  return {
    allow: union(parent.allow, own.allow),
    deny: union(parent.deny, own.deny),
    exempt: union(parent.exempt, own.exempt),
    requireReadOnly: own.require_read_only ?? parent.requireReadOnly,
    denyDestructive: own.deny_destructive ?? parent.denyDestructive,
  };
}

/** A profile that extends its own name extends the built-in one that it replaces. */
function findParent(profiles: DeclaredProfiles, name: string, parent: string | undefined, left: number): ProfilePolicy {
  if (parent === undefined) return EMPTY_POLICY;
  return parent === name ? findBuiltIn(name) : toPolicy(profiles, parent, left - 1);
}

function findBuiltIn(name: string): ProfilePolicy {
  return readOwn(BUILT_IN_POLICIES, name) ?? EMPTY_POLICY;
}

function union(first: readonly string[], second: readonly string[] = []): readonly string[] {
  return [...new Set([...first, ...second])];
}
