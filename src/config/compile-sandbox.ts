import { toEffective } from './effective.ts';
import { SANDBOX_KEYS } from './sandbox-keys.ts';
import type { SandboxSettings } from './settings.ts';
import type { SettingsParts } from './settings-parts.ts';

/** What was declared of the sandbox, complete. */
export function compileSandbox({ declared, hatIds }: SettingsParts): SandboxSettings {
  const { mode, scratch, readable, network } = toEffective(SANDBOX_KEYS, declared.sandbox);
  const hats = (hatIds ?? []).flatMap((id) => {
    const own = declared.hats?.[id]?.sandbox;
    return own === undefined ? [] : [[id, own] as const];
  });
  return {
    mode,
    scratch: [...new Set(scratch)],
    readable: [...new Set(readable)],
    hasNetwork: network,
    hats: Object.fromEntries(hats),
    onViolation: declared.on_violation ?? 'report',
  };
}
