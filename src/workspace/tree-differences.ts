import { demandGit, type Git } from './git.ts';
import { ABSENT } from './parse-status.ts';

/** What a path is in each of two trees: `<mode> <object id>`, or {@link ABSENT}. */
export interface TreeDifference {
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

const NO_MODE = '000000';
const SUBMODULE = '160000 ';

/**
 * What differs between two trees, renamed files as two paths.
 *
 * @throws GitProblem
 */
export async function listDifferences(git: Git, left: string, right: string): Promise<readonly TreeDifference[]> {
  const parts = (await demandGit(git, ['diff-tree', '-r', '-z', '--no-renames', left, right])).split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => {
    // :<mode> <mode> <id> <id> <letter>
    const [leftMode = '', rightMode = '', leftId = '', rightId = ''] = (parts[index * 2] ?? '').slice(1).split(' ');
    return { path: parts[index * 2 + 1] ?? '', left: toEntry(leftMode, leftId), right: toEntry(rightMode, rightId) };
  });
}

function toEntry(mode: string, id: string): string {
  return mode === NO_MODE ? ABSENT : `${mode} ${id}`;
}

/** Whether an entry stands for another repository inside this one. */
export function isSubmodule(entry: string): boolean {
  return entry.startsWith(SUBMODULE);
}
