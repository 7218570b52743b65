import { delimiter, join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { isProgram } from '../process/isolation.ts';
import { splitSearchPath } from '../process/split-search-path.ts';
import { runToEnd } from '../process/start-process.ts';
import { planBubblewrap, planSeatbelt, toInnerUser } from './plan-confinement.ts';
import type { OsSandboxSearch } from './turn-sandbox.ts';

/**
 * Looks for what the operating system offers, and tries it once: namespaces may be switched off, as they are in many containers. Never rejects.
 *
 * @param env where PATH is looked up
 * @param workspace absolute: what lies there is no sandbox, since agents may have put it there
 */
export async function findOsSandbox(env: Environment, workspace: string): Promise<OsSandboxSearch> {
  if (process.platform === 'darwin') return findSeatbelt('/usr/bin/sandbox-exec', env);
  if (process.platform !== 'linux') return { found: null, why: `there is no sandbox for ${process.platform}` };
  const path = findProgram('bwrap', splitSearchPath(env['PATH'], workspace).outside);
  if (path === null) return { found: null, why: 'bubblewrap (bwrap) is not installed; on Debian and Ubuntu: apt-get install bubblewrap' };
  const [version, trial] = await Promise.all([
    tryRun(path, ['--version'], env),
    tryRun(path, [...BUBBLEWRAP_TRIAL, '/bin/sh', '-c', 'exit 0'], env),
  ]);
  if (trial.ok) return { found: { kind: 'bubblewrap', path, version: version.text } };
  return { found: null, why: `bubblewrap does not work here: ${trial.text || 'it ended without a word'}` };
}

const BUBBLEWRAP_TRIAL = planBubblewrap({ mounts: [{ kind: 'hidden', path: '/tmp' }], cwd: '/', hasNetwork: true, ...toInnerUser() });

function findProgram(name: string, searchPath: string): string | null {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

/** Ends well where a program runs and cannot look into a folder that is there. */
const SEATBELT_TRIAL = 'if ls "$0" >/dev/null 2>&1; then echo "it does not keep a program from reading" >&2; exit 1; fi; exit 0';

/**
 * Tries the sandbox of macOS once, with every kind of rule: a profile that is not understood, or one that holds nothing back, is no sandbox. Never
 * rejects.
 *
 * @param path of `sandbox-exec`
 * @param denied a folder that is there and may be denied
 */
export async function findSeatbelt(path: string, env: Environment, denied = '/Users'): Promise<OsSandboxSearch> {
  const mounts = [
    { kind: 'hidden', path: denied },
    { kind: 'own', path: '/private/var/ralph-trial', from: '/private/var/ralph-trial/own' },
    { kind: 'readable', path: '/usr/lib' },
    { kind: 'writable', path: '/dev/null' },
  ] as const;
  const profile = planSeatbelt({ mounts, cwd: '/', hasNetwork: false, ...toInnerUser() });
  const trial = await tryRun(path, ['-p', profile, '/bin/sh', '-c', SEATBELT_TRIAL, denied], env);
  if (trial.ok) return { found: { kind: 'seatbelt', path, version: 'sandbox-exec (hardly tested)' } };
  return { found: null, why: `sandbox-exec does not work here: ${trial.text || 'it ended without a word'}` };
}

const TRIAL_MS = 10_000;

/** Runs a program once for a trial: whether it ended well, and its first line. Never rejects. */
async function tryRun(
  command: string,
  args: readonly string[],
  env: Environment,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const result = await runToEnd({ command, args, cwd: '/', env, timeoutMs: TRIAL_MS });
  const said = result.exitCode === 0 ? result.stdout : result.stderrTail;
  const line = said.trim().split('\n')[0] ?? '';
  return { ok: result.exitCode === 0, text: line.slice(0, 200) };
}
