import { join } from 'node:path';
import { ABSENT, type GitStatus, type RepositorySettings, type StatusEntry } from '../../git/contract.ts';
import { GitProblem } from '../../git/git.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import type { Baseline, DirtyFile } from './baseline-record.ts';
import { MAX_HASHED_BYTES, readFileSize, readFileVersion, toComparableLimit } from './file-version.ts';

/** The versions that tell what a file holds: see `readFileVersion`. */
const KNOWN = /^(?:\d{6} |time )/;

/**
 * What differs from the last commit only because it is the user's own: as it was when the run began, byte for byte. Of a worktree these are copies of what was
 * taken along. Empty without a baseline.
 */
export function listUntouched({ entries, head }: GitStatus, top: string, baseline: Baseline | null): ReadonlySet<string> {
  const own = new Map(baseline?.dirty.map(({ path, content }) => [path, content]));
  return new Set(entries.flatMap(({ path, isRepository }) => (!isRepository && isAsBefore(path, own.get(path)) ? [path] : [])));

  function isAsBefore(path: string, content: string | undefined): boolean {
    if (content === undefined || (content !== ABSENT && !KNOWN.test(content))) return false;
    return readFileVersion(join(top, path), head, toComparableLimit(content)) === content;
  }
}

/** Together, the user's files are read to this size; of the others size and time have to do. */
const MAX_TOTAL_BYTES = 256 << 20;

/**
 * Looks at what is the user's own before a run begins. Reads only; never rejects.
 *
 * @returns plain JSON, to be stored with the run and given to `createWorkspace`.
 */
export async function captureBaseline(settings: RepositorySettings): Promise<Baseline> {
  const search = await findRepository(settings);
  if (!search.ok) return toUselessBaseline(search.refused);
  const repository = search.value;
  try {
    const status = await readStatus(repository, { withIgnored: true });
    const ignored = status.entries.filter((entry) => entry.kind === 'ignored').map((entry) => entry.path);
    return { version: 1, noRepository: '', dirty: toDirtyFiles(status, repository.top), ignored };
  } catch (error) {
    return toUselessBaseline(error instanceof GitProblem ? error.message : String(error));
  }
}

function toUselessBaseline(why: string): Baseline {
  return { version: 1, noRepository: why, dirty: [], ignored: [] };
}

function toDirtyFiles(status: GitStatus, top: string): DirtyFile[] {
  const files = new Map<string, DirtyFile>();
  let leftBytes = MAX_TOTAL_BYTES;
  for (const entry of status.entries) {
    if (entry.kind === 'ignored') continue;
    const path = join(top, entry.path);
    const content = readFileVersion(path, status.head, Math.min(leftBytes, MAX_HASHED_BYTES));
    leftBytes = Math.max(0, leftBytes - readFileSize(path));
    // A file that was taken out of the index but not deleted has two entries: as deleted and as untracked.
    const isStagedApart = isApart(entry, content) || (files.get(entry.path)?.isStagedApart ?? false);
    const staged = entry.kind === 'changed' && entry.staged !== '.' ? entry.index : files.get(entry.path)?.staged;
    files.set(entry.path, { path: entry.path, content, isStagedApart, ...(staged === undefined ? {} : { staged }) });
  }
  return [...files.values()];
}

function isApart(entry: StatusEntry, content: string): boolean {
  return entry.kind === 'unmerged' || (entry.index !== content && entry.index !== entry.head);
}

/**
 * What is not committed in a folder's repository, without what git ignores and the state folders: paths from its top. Empty outside of git. Never rejects.
 *
 * @param baseline of a run: what is the user's own and as it was then is not among them either
 */
export async function listUncommitted(settings: RepositorySettings, baseline: Baseline | null = null): Promise<readonly string[]> {
  const search = await findRepository(settings);
  if (!search.ok) return [];
  try {
    const status = await readStatus(search.value);
    const untouched = listUntouched(status, search.value.top, baseline);
    return [...new Set(status.entries.map(({ path }) => path))].filter((path) => !untouched.has(path)).sort();
  } catch {
    return [];
  }
}
