import { createHash } from 'node:crypto';
import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryOr } from '../../core/values/result.ts';
import type { Git, GitStatus, Repository } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';
import { listIndex } from '../../git/trees.ts';

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

const SUBMODULE = '160000';

/** Git is not asked whether their files changed: it would run in each of them what its configuration names. */
async function listSubmodules(top: string, git: Git): Promise<readonly string[]> {
  if (!existsSync(join(top, '.gitmodules'))) return [];
  const entries = await listIndex(git).catch(() => []);
  return entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path);
}

/** More files than this are not looked at: the answer would come too late to be of use. */
const MAX_DESCRIBED_ENTRIES = 20_000;

/** So many in a row before something else may happen in the process: to ask for each in the background costs more than the answer. */
const SLICE = 1000;

/** What is somebody else's, wherever it lies. */
export const FOREIGN_FOLDERS = ['node_modules', '.git'];

/**
 * A text that changes when a file below a folder is written, made, renamed or deleted, by size and time. Symbolic links are not
 * followed; `node_modules`, `.git` and the given folders are passed over.
 *
 * @param maxEntries files and folders together.
 * @returns null when the folder cannot be read or holds too much to tell.
 */
export async function describeFolder(
  folder: string,
  passOver: readonly string[],
  maxEntries: number = MAX_DESCRIBED_ENTRIES,
): Promise<string | null> {
  const skipped = new Set([...FOREIGN_FOLDERS, ...passOver]);
  const hash = createHash('sha256');
  const waiting = [''];
  let left = maxEntries;
  let seen = 0;
  for (let relative = waiting.pop(); relative !== undefined; relative = waiting.pop()) {
    const inside = relative === '' ? '' : `${relative}/`;
    const entries = listFolder(join(folder, relative));
    // A folder inside may vanish while it is being looked at, or be closed to us; the workspace itself may not.
    if (entries === undefined && relative === '') return null;
    const kept = (entries ?? []).filter((entry) => !skipped.has(entry.name));
    left -= kept.length;
    if (left < 0) return null;
    const names = kept.filter((entry) => entry.isDirectory()).map((entry) => `${inside}${entry.name}`);
    waiting.push(...names);
    for (const entry of kept) {
      const path = `${inside}${entry.name}`;
      hash.update(`${path}\0${describeFile(`${folder}/${path}`)}\0`);
      seen += 1;
      if (seen % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function listFolder(path: string): Dirent[] | undefined {
  return tryOr(() => {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  }, undefined);
}

/** Size, times and mode of one file; empty when it is not there or cannot be looked at. The time of its last change of any kind is among them: the other one can be put back. */
function describeFile(path: string): string {
  return tryOr(() => {
    const stats = lstatSync(encodeNames(path));
    // The size and time of a folder say only that something in it was made or deleted, which its own entries say as well.
    return stats.isDirectory() ? 'folder' : `${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  }, '');
}
