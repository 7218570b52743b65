import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';

/** Whether a git may be at work in a folder: one runs there, or nobody can tell (only Linux shows it). Never throws. */
export function isGitAtWork(top: string): boolean {
  return tryOr(() => readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && isGitIn(pid, top)), true);
}

function isGitIn(pid: string, top: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git')) return false;
  } catch {
    // It has ended meanwhile.
    return false;
  }
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return folder === top || folder.startsWith(`${top}/`);
  } catch (error) {
    // Somebody else's git may be anywhere; one that has ended is nowhere.
    return toErrorCode(error) === 'EACCES' || toErrorCode(error) === 'EPERM';
  }
}

/** What git leaves in its folder while an operation waits to be continued. */
const traces = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
] as const;

/** The operation that is under way in a repository, such as `a rebase`; undefined when there is none. */
export function findOngoingOperation(gitDir: string): string | undefined {
  return traces.find(([name]) => existsSync(join(gitDir, name)))?.[1];
}
