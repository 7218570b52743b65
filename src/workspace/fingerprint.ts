import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describeFile, describeFolder, MAX_DESCRIBED_ENTRIES } from './describe-folder.ts';
import type { GitStatus } from './parse-status.ts';

/**
 * A text that changes when a file of the working tree does: the last commit, what differs from it, and the size and time of each
 * file that differs. What the repository ignores does not count.
 *
 * @returns null when more files differ than can be looked at.
 */
export async function toFingerprint(status: GitStatus, top: string, stateDirs: readonly string[]): Promise<string | null> {
  if (status.entries.length > MAX_DESCRIBED_ENTRIES) return null;
  const hash = createHash('sha256').update(status.head ?? '');
  for (const entry of status.entries) {
    const path = join(top, entry.path);
    const look = entry.isRepository ? await describeFolder(path, stateDirs) : describeFile(path);
    hash.update(`${entry.staged}${entry.unstaged} ${entry.index}\0${entry.path}\0${look}\0`);
  }
  return hash.digest('hex').slice(0, 32);
}
