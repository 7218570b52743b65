import type { Settings } from '../config/index.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { type Capabilities, resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { readOwn } from '../core/values/json.ts';

/** What the profile of a hat says; `null`: nothing holds it back. */
export function findPolicy({ policies }: Pick<Settings, 'policies'>, hat: string): Settings['policies'][string] | null {
  return readOwn(policies, hat) ?? null;
}

/** What a hat may do by its profile. */
export function toHatCapabilities(settings: Pick<Settings, 'policies'>, hat: string): Capabilities {
  return toCapabilities(resolveProfile(findPolicy(settings, hat), BUILT_IN_CARDS));
}
