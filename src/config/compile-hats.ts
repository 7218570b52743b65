import type { HatSpec } from '../core/index.ts';
import { toBackendSpec } from './compile-backends.ts';
import type { EffectiveLoop, SettingsParts } from './settings-parts.ts';
import { toLabel } from './to-label.ts';
import { triggersOf } from './trigger-names.ts';

/** The hats in the order of the file; `null` where the file has no `hats:` key. */
export function compileHats(parts: SettingsParts, loop: EffectiveLoop): readonly HatSpec[] | null {
  return parts.hatIds === null ? null : parts.hatIds.map((id) => compileHat(id, parts, loop));
}

function compileHat(id: string, { declared, backends, instructions }: SettingsParts, loop: EffectiveLoop): HatSpec {
  const hat = declared.hats?.[id] ?? {};
  return {
    id,
    name: hat.name ?? id,
    description: hat.description?.trim() ?? '',
    triggers: triggersOf(hat),
    publishes: hat.publishes ?? [],
    defaultPublishes: hat.default_publishes ?? [],
    transitions: hat.transitions ?? [],
    instructions: instructions.hats[id] ?? '',
    maxActivations: hat.max_activations ?? null,
    ...(hat.takes === 'one' && { takes: hat.takes }),
    timeoutMs: hat.timeout_seconds ?? loop.timeout_seconds,
    idleTimeoutMs: hat.idle_timeout_seconds ?? loop.idle_timeout_seconds,
    backends: (backends.hats[id] ?? backends.base).map((backend) => toLabel(toBackendSpec(backend))),
  };
}
