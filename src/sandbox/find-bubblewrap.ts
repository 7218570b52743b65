import { delimiter, join } from 'node:path';
import { isProgram, splitSearchPath } from '../process/index.ts';
import { findSeatbelt } from './find-seatbelt.ts';
import { toInnerUser } from './inner-user.ts';
import type { OsSandboxSearch } from './os-sandbox.ts';
import { planBubblewrap } from './plan-bubblewrap.ts';
import { tryRun } from './try-run.ts';

/**
 * Looks for what the operating system offers, and tries it once: namespaces may be switched off, as they are in many containers. Never rejects.
 *
 * @param env where PATH is looked up
 * @param workspace absolute: what lies there is no sandbox, since agents may have put it there
 */
export async function findOsSandbox(env: Readonly<Record<string, string | undefined>>, workspace: string): Promise<OsSandboxSearch> {
  if (process.platform === 'darwin') return findSeatbelt('/usr/bin/sandbox-exec', env);
  if (process.platform !== 'linux') return { found: null, why: `there is no sandbox for ${process.platform}` };
  const path = findProgram('bwrap', splitSearchPath(env['PATH'], workspace).outside);
  if (path === null) return { found: null, why: 'bubblewrap (bwrap) is not installed; on Debian and Ubuntu: apt-get install bubblewrap' };
  const [version, trial] = await Promise.all([tryRun(path, ['--version'], env), tryRun(path, [...TRIAL, '/bin/sh', '-c', 'exit 0'], env)]);
  if (trial.ok) return { found: { kind: 'bubblewrap', path, version: version.text } };
  return { found: null, why: `bubblewrap does not work here: ${trial.text || 'it ended without a word'}` };
}

const TRIAL = planBubblewrap({ mounts: [{ kind: 'hidden', path: '/tmp' }], cwd: '/', hasNetwork: true, ...toInnerUser() });

function findProgram(name: string, searchPath: string): string | null {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}
