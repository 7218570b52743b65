import { DEFAULT_HAT, RALPH } from '../core/index.ts';
import { toEffective } from './effective.ts';
import { SANDBOX_KEYS } from './sandbox-keys.ts';
import type { SandboxSettings } from './settings.ts';
import type { SettingsParts } from './settings-parts.ts';

/** What was declared of the sandbox, complete. */
export function compileSandbox({ declared, hatIds }: SettingsParts): SandboxSettings {
  const { mode, scratch, readable, network } = toEffective(SANDBOX_KEYS, declared.sandbox);
  const isSafe = declared.safe ?? false;
  const hats = [...(hatIds ?? []), ...(isSafe ? [RALPH, DEFAULT_HAT] : [])].flatMap((id) => {
    const own = declared.hats?.[id]?.sandbox;
    if (isSafe && own !== 'off') return [[id, 'required'] as const];
    return own === undefined ? [] : [[id, own] as const];
  });
  return {
    // What is switched off stays so: a safe run is refused for it.
    mode: isSafe && mode !== 'off' ? 'required' : mode,
    scratch: [...new Set(scratch)],
    readable: [...new Set(readable)],
    hasNetwork: network,
    hats: Object.fromEntries(hats),
    onViolation: declared.on_violation ?? 'report',
  };
}
