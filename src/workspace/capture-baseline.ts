import { join } from 'node:path';
import type { Baseline, DirtyFile } from './baseline.ts';
import { readFileSize } from './file-size.ts';
import { MAX_HASHED_BYTES, readFileVersion } from './file-version.ts';
import { findRepository, type RepositorySettings } from './find-repository.ts';
import { GitProblem } from './git.ts';
import type { GitStatus, StatusEntry } from './parse-status.ts';
import { readStatus } from './read-status.ts';

/** Together, the user's files are read to this size; of the others size and time have to do. */
const maxTotalBytes = 256 << 20;

/**
 * Looks at what is the user's own before a run begins. Reads only; never rejects.
 *
 * @returns plain JSON, to be stored with the run and given to `createWorkspace`.
 */
export async function captureBaseline(settings: RepositorySettings): Promise<Baseline> {
  const search = await findRepository(settings);
  if (!search.found) return toUselessBaseline(search.why);
  const { repository } = search;
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
  let leftBytes = maxTotalBytes;
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
