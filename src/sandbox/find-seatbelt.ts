import { toInnerUser } from './inner-user.ts';
import type { OsSandboxSearch } from './os-sandbox.ts';
import { planSeatbelt } from './plan-seatbelt.ts';
import { tryRun } from './try-run.ts';

/** Ends well where a program runs and cannot look into a folder that is there. */
const TRIAL = 'if ls "$0" >/dev/null 2>&1; then echo "it does not keep a program from reading" >&2; exit 1; fi; exit 0';

/**
 * Tries the sandbox of macOS once, with every kind of rule: a profile that is not understood, or one that holds nothing back, is no sandbox. Never
 * rejects.
 *
 * @param path of `sandbox-exec`
 * @param denied a folder that is there and may be denied
 */
export async function findSeatbelt(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  denied = '/Users',
): Promise<OsSandboxSearch> {
  const mounts = [
    { kind: 'hidden', path: denied },
    { kind: 'own', path: '/private/var/ralph-trial', from: '/private/var/ralph-trial/own' },
    { kind: 'readable', path: '/usr/lib' },
    { kind: 'writable', path: '/dev/null' },
  ] as const;
  const profile = planSeatbelt({ mounts, cwd: '/', hasNetwork: false, ...toInnerUser() });
  const trial = await tryRun(path, ['-p', profile, '/bin/sh', '-c', TRIAL, denied], env);
  if (trial.ok) return { found: { kind: 'seatbelt', path, version: 'sandbox-exec (hardly tested)' } };
  return { found: null, why: `sandbox-exec does not work here: ${trial.text || 'it ended without a word'}` };
}
