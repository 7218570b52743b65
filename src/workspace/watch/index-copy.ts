import { copyFileSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../../git/contract.ts';
import { demandGit } from '../../git/git.ts';
import { listIndex, toPathList } from '../../git/trees.ts';

/** What an index says beside its contents. */
export interface ClearedIndex {
  /** The same index without the marks by which git passes over files (assume-unchanged, skip-worktree); itself where it has none. */
  readonly lookFile: string;
  /** The submodules it names, from the top. */
  readonly submodules: readonly string[];
}

/**
 * Makes an index by which git looks at every file.
 *
 * @throws GitProblem, or the system error
 */
export async function clearMarks({ git }: Repository, indexFile: string): Promise<ClearedIndex> {
  const entries = await listIndex(git, { index: { indexFile } });
  const submodules = entries.filter(({ mode }) => mode === '160000').map(({ path }) => path);
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase());
  const skipped = entries.filter(({ tag }) => tag.toUpperCase() === 'S');
  if (assumed.length + skipped.length === 0) return { lookFile: indexFile, submodules };
  const lookFile = `${indexFile}.look`;
  copyFileSync(indexFile, lookFile);
  // One after the other: git takes only the first of two marks in a command.
  for (const [mark, marked] of [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const)
    if (marked.length > 0) {
      const input = toPathList(marked.map(({ path }) => path));
      await demandGit(git, ['update-index', mark, '-z', '--stdin'], { indexFile: lookFile, input });
    }
  return { lookFile, submodules };
}

/**
 * Copies the index as it is now. Later the tree is compared with the copy: what somebody writes into the real one (marks that hide changes, say) does not
 * count. The copy keeps the time of the original, by which git knows which of its entries it may trust.
 */
export function copyIndex(gitDir: string, indexFile: string): void {
  mkdirSync(dirname(indexFile), { recursive: true });
  const real = join(gitDir, 'index');
  try {
    const { atime, mtime } = statSync(real);
    copyFileSync(real, indexFile);
    utimesSync(indexFile, atime, mtime);
  } catch {
    // A repository without an index yet: git takes a missing file for an empty one.
  }
}
