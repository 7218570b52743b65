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
  const ignored = createPathMatcher(baseline.ignored);
  const taken: StatusEntry[] = [];
  const leftOut = new Set<string>();
  for (const entry of status.entries) {
    if (entry.isRepository || entry.kind === 'ignored') continue;
    const own = dirty.get(entry.path);
    const wasIgnored = ignored(entry.path);
    if (own && !isSettled(own, entry)) {
      if (readVersion(own) !== own.content) leftOut.add(entry.path);
    } else if (wasIgnored !== undefined) leftOut.add(wasIgnored);
    else if (entry.kind === 'unmerged' || entry.path.includes(undecodable)) leftOut.add(entry.path);
    else taken.push(entry);
  }
  return { change: toTreeChange(taken), leftOut: [...leftOut] };
}

/** Somebody committed the user's version of it; nothing of the user's can be lost any more. */
function isSettled(own: DirtyFile, entry: StatusEntry): boolean {
  return !own.isStagedApart && entry.kind !== 'unmerged' && entry.head === own.content;
}

/** Finds the ignored file or folder that a path is, or is in. */
function createPathMatcher(ignored: readonly string[]): (path: string) => string | undefined {
  const known = new Set(ignored);
  return (path) => {
    if (known.has(path)) return path;
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at + 1);
      if (known.has(folder)) return folder;
    }
    return undefined;
  };
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
