import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../process/index.ts';
import { planBubblewrap } from './plan-bubblewrap.ts';

/** What this machine can put around an agent. */
export interface OsSandbox {
  readonly kind: 'bubblewrap' | 'seatbelt';
  /** Absolute path of the program. */
  readonly path: string;
  /** In the program's own words. */
  readonly version: string;
}

/** A sandbox, or why there is none: a sentence for a person, with what to do. */
export type OsSandboxSearch = { readonly found: OsSandbox } | { readonly found: null; readonly why: string };

const SEATBELT = '/usr/bin/sandbox-exec';
const TRIAL_MS = 10_000;

/**
 * Looks for what the operating system offers, and tries it once: namespaces may be switched off, as they are in many containers. Never rejects.
 *
 * @param env where PATH is looked up
 */
export async function findOsSandbox(env: Readonly<Record<string, string | undefined>>): Promise<OsSandboxSearch> {
  if (process.platform === 'darwin') return { found: { kind: 'seatbelt', path: SEATBELT, version: 'sandbox-exec (untested)' } };
  if (process.platform !== 'linux') return { found: null, why: `there is no sandbox for ${process.platform}` };
  const path = findProgram('bwrap', env['PATH']);
  if (path === null) return { found: null, why: 'bubblewrap (bwrap) is not installed; on Debian and Ubuntu: apt-get install bubblewrap' };
  const [version, trial] = await Promise.all([tryRun(path, ['--version'], env), tryRun(path, [...TRIAL, '/bin/sh', '-c', 'exit 0'], env)]);
  if (trial.ok) return { found: { kind: 'bubblewrap', path, version: version.text } };
  return { found: null, why: `bubblewrap does not work here: ${trial.text || 'it ended without a word'}` };
}

/** Who a program is inside: never the superuser. */
export function toInnerUser(): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = [process.getuid?.() ?? 1000, process.getgid?.() ?? 1000];
  return { uid: uid === 0 ? 1000 : uid, gid: gid === 0 ? 1000 : gid };
}

const TRIAL = planBubblewrap({ mounts: [{ kind: 'hidden', path: '/tmp' }], cwd: '/', hasNetwork: true, ...toInnerUser() });

function findProgram(name: string, searchPath: string | undefined): string | null {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function tryRun(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const result = await runCommand({ command, args, cwd: '/', env, timeoutMs: TRIAL_MS });
  const said = result.exitCode === 0 ? result.stdout : result.stderrTail;
  const line = said.trim().split('\n')[0] ?? '';
  return { ok: result.exitCode === 0, text: line.slice(0, 200) };
}
