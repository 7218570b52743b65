import { demandGit, type Git } from './git.ts';

/** Paths from the top of the repository. */
export interface TreeChange {
  /** Files to be taken from the working tree. */
  readonly write: readonly string[];
  /** Files that are not in the working tree. */
  readonly remove: readonly string[];
}

/** An index of ours, in a file of ours. */
export interface OwnIndex {
  readonly indexFile: string;
}

/** Makes an index of ours show a commit; null: nothing at all. */
export async function readTree(git: Git, index: OwnIndex, head: string | null): Promise<void> {
  await demandGit(git, ['read-tree', head ?? '--empty'], index);
}

/** Stores the tree that an index of ours shows; its object id. */
export async function writeTree(git: Git, index: OwnIndex): Promise<string> {
  return (await demandGit(git, ['write-tree'], index)).trim();
}

/**
 * Makes an index show these paths as they are in the working tree, and touches no other entry. Removals go first and by name only: a
 * path may lie behind what has since become a symbolic link.
 *
 * @param index absent: the user's own.
 * @throws GitProblem; also for a file where the index has a folder, and the other way round: no entry is pushed out unasked. The
 * removals may then have been made.
 */
export async function changeIndex(git: Git, change: TreeChange, index?: OwnIndex): Promise<void> {
  if (change.remove.length > 0) {
    await demandGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { ...index, input: toPathList(change.remove) });
  }
  if (change.write.length > 0) {
    await demandGit(git, ['update-index', '--add', '--remove', '-z', '--stdin'], { ...index, input: toPathList(change.write) });
  }
}

function toPathList(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}
