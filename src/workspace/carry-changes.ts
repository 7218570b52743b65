import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readFileSize } from './file-size.ts';
import type { Repository } from './find-repository.ts';
import { demandGit, type Git } from './git.ts';
import type { GitStatus, StatusEntry } from './parse-status.ts';
import { toTreeChange } from './plan-checkpoint.ts';
import { changeIndex, readTree, writeTree } from './write-tree.ts';

/** What became of the uncommitted files. */
export interface CarriedChanges {
  readonly carried: readonly string[];
  readonly notCarried: readonly string[];
}

/** A larger file that git does not know is rather data than work. */
const largestUntrackedBytes = 100 << 20;

/**
 * Brings uncommitted changes from one working tree into another of the same commit: changed, deleted and untracked files with their
 * modes, links and line ends. They go by a tree object, which is exact where a patch may not apply; afterwards they are uncommitted
 * there as well, none staged.
 *
 * @param links what is going to be linked instead, relative to the workspace.
 * @param indexFile path of an index file of ours, removed at the end.
 * @throws GitProblem
 */
export async function carryChanges(
  from: Repository,
  status: GitStatus,
  links: readonly string[],
  to: Git,
  indexFile: string,
): Promise<CarriedChanges> {
  const linked = links.map((name) => `${from.prefix}${name}/`);
  const wanted = status.entries.filter(
    (entry) => entry.kind !== 'untracked' || !linked.some((folder) => `${entry.path}/`.startsWith(folder)),
  );
  const taken = new Set(wanted.filter((entry) => canCarry(entry, from.top)));
  const notCarried = wanted.filter((entry) => !taken.has(entry)).map((entry) => entry.path);
  const change = toTreeChange([...taken]);
  const carried = [...change.write, ...change.remove];
  if (carried.length === 0 || status.head === null) return { carried: [], notCarried };
  const index = { indexFile };
  try {
    await readTree(from.git, index, status.head);
    await changeIndex(from.git, change, index);
    const tree = await writeTree(from.git, index);
    await demandGit(to, ['read-tree', '-m', '-u', status.head, tree]);
    await demandGit(to, ['read-tree', '-m', status.head]);
    return { carried, notCarried };
  } finally {
    rmSync(indexFile, { force: true });
  }
}

function canCarry(entry: StatusEntry, top: string): boolean {
  if (entry.isRepository) return false;
  if (entry.kind !== 'untracked') return true;
  return readFileSize(join(top, entry.path)) <= largestUntrackedBytes;
}
