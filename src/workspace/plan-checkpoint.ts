import type { Baseline, DirtyFile } from './baseline.ts';
import type { GitStatus, StatusEntry } from './parse-status.ts';
import type { TreeChange } from './write-tree.ts';

/** What is to be committed, and what is not although it changed. */
export interface CheckpointPlan {
  readonly change: TreeChange;
  /** The user's own files that changed since the run began. */
  readonly leftOut: readonly string[];
}

/** What a name that is not UTF-8 has become on its way here: git would not find the file. */
const undecodable = '\ufffd';

/**
 * Chooses what a checkpoint takes: everything that differs from the last commit, except what was the user's own when the run began,
 * what was ignored then, unresolved conflicts, and other repositories inside this one.
 *
 * A file of the user counts as the run's from the moment at which the last commit holds exactly what it was when the run began.
 *
 * @param readVersion what a file of the user is now, told in the way of the baseline.
 */
export function planCheckpoint(status: GitStatus, baseline: Baseline, readVersion: (file: DirtyFile) => string): CheckpointPlan {
  const dirty = new Map(baseline.dirty.map((file) => [file.path, file]));
  const entries = status.entries.filter((entry) => !entry.isRepository && entry.kind !== 'ignored');
  const own = entries.flatMap((entry) => {
    const file = dirty.get(entry.path);
    return file && !isSettled(file, entry) ? [{ file, entry }] : [];
  });
  const ownPaths = new Set(own.map(({ file }) => file.path));
  const changed = own.filter(({ file }) => readVersion(file) !== file.content).map(({ file }) => file.path);
  const tracked = own.filter(({ entry }) => entry.kind !== 'untracked').map(({ file }) => file.path);
  const findObstacle = createObstacleFinder(tracked, baseline.ignored);
  const leftOut = new Set(changed);
  const taken = entries.filter((entry) => {
    if (ownPaths.has(entry.path)) return false;
    const obstacle = findObstacle(entry);
    if (obstacle !== undefined) leftOut.add(obstacle);
    return obstacle === undefined;
  });
  return { change: toTreeChange(taken), leftOut: [...leftOut] };
}

/** Somebody committed the user's version of it; nothing of the user's can be lost any more. */
function isSettled(own: DirtyFile, entry: StatusEntry): boolean {
  return !own.isStagedApart && entry.kind !== 'unmerged' && entry.head === own.content;
}

/**
 * Finds what keeps a file that is not the user's own from being committed, by the path to be named; undefined for nothing.
 *
 * @param tracked the user's own files that git knows: none of them can be a folder or lie in a file at the same time.
 */
function createObstacleFinder(tracked: readonly string[], ignored: readonly string[]): (entry: StatusEntry) => string | undefined {
  const files = new Set(tracked);
  const folders = new Set(tracked.flatMap(listFolders));
  const wasIgnored = new Set(ignored);
  return ({ path, kind }) => {
    if (kind === 'unmerged' || path.includes(undecodable) || wasIgnored.has(path)) return path;
    if (folders.has(`${path}/`) || listFolders(path).some((folder) => files.has(folder.slice(0, -1)))) return path;
    return listFolders(path).find((folder) => wasIgnored.has(folder));
  };
}

/** `a/b/c` -> `a/`, `a/b/`. */
function listFolders(path: string): string[] {
  return [...path.matchAll(/\//g)].map((match) => path.slice(0, match.index + 1));
}

/**
 * What has to be done to the last commit's tree so that it shows the working tree. A file that was taken out of the index but is
 * still there has two entries: it is there.
 */
export function toTreeChange(entries: readonly StatusEntry[]): TreeChange {
  const write = new Set<string>();
  const remove = new Set<string>();
  for (const entry of entries) {
    (isGone(entry) ? remove : write).add(entry.path);
  }
  return { write: [...write], remove: [...remove].filter((path) => !write.has(path)) };
}

/** Of a conflict, the letters say what both sides did, not whether the file is there. */
function isGone(entry: StatusEntry): boolean {
  if (entry.kind === 'unmerged') return false;
  return entry.unstaged === 'D' || (entry.staged === 'D' && entry.unstaged === '.');
}
