import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeFile, describeFolder, MAX_DESCRIBED_ENTRIES } from './describe-folder.ts';
import type { Repository } from './find-repository.ts';
import type { Git } from './git.ts';
import type { GitStatus } from './parse-status.ts';

/**
 * A text that changes when a file of the working tree does: the last commit, what differs from it, and the size and time of each
 * file that differs. What the repository ignores does not count.
 *
 * @returns null when more files differ than can be looked at.
 */
export async function toFingerprint(
  status: GitStatus,
  { top, git }: Pick<Repository, 'top' | 'git'>,
  stateDirs: readonly string[],
): Promise<string | null> {
  if (status.entries.length > MAX_DESCRIBED_ENTRIES) return null;
  const hash = createHash('sha256').update(status.head ?? '');
  for (const entry of status.entries) {
    const path = join(top, entry.path);
    const look = entry.isRepository ? await describeFolder(path, stateDirs) : describeFile(path);
    hash.update(`${entry.staged}${entry.unstaged} ${entry.index}\0${entry.path}\0${look}\0`);
  }
  for (const path of await listSubmodules(top, git)) hash.update(`${path}\0${await describeFolder(join(top, path), stateDirs)}\0`);
  return hash.digest('hex').slice(0, 32);
}

/** Git is not asked whether their files changed: it would run in each of them what its configuration names. */
async function listSubmodules(top: string, git: Git): Promise<readonly string[]> {
  if (!existsSync(join(top, '.gitmodules'))) return [];
  const { stdout } = await git(['ls-files', '--stage', '-z']);
  return stdout.split('\0').flatMap((record) => (record.startsWith('160000 ') ? [record.slice(record.indexOf('\t') + 1)] : []));
}
