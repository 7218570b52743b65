import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { type Capabilities, EMPTY_POLICY, mayChangeTree, resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { readOwn } from '../core/values/json.ts';

/** What of its backend says which profile binds an agent. */
type Worn = Pick<BackendSpec, 'profile'>;

/** What the profile of an agent says that wears a hat: in a panel each may have its own. `null`: nothing holds it back. */
export function findAgentPolicy(
  settings: Pick<Settings, 'policies' | 'profiles'>,
  hat: string,
  { profile }: Worn,
): Settings['policies'][string] | null {
  if (profile === undefined) return readOwn(settings.policies, hat) ?? null;
  // One that is gone allows nothing.
  return profile === null ? null : (readOwn(settings.profiles, profile) ?? EMPTY_POLICY);
}

export function toAgentCapabilities(settings: Pick<Settings, 'policies' | 'profiles'>, hat: string, worn: Worn): Capabilities {
  return toCapabilities(resolveProfile(findAgentPolicy(settings, hat, worn), BUILT_IN_CARDS));
}

/** Whether some agent that wears a hat may change what people keep in a folder. */
export function mayHatChangeTree(settings: Pick<Settings, 'policies' | 'profiles' | 'backends'>, hat: string): boolean {
  const worn = readOwn(settings.backends, hat) ?? [{}];
  return worn.some((spec) => mayChangeTree(toAgentCapabilities(settings, hat, spec)));
}
