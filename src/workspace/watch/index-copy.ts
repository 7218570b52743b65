import { copyFileSync } from 'node:fs';
import { demandGit, type Repository } from '../../git/index.ts';

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
  const entries = (await demandGit(git, ['ls-files', '--stage', '-v', '-z'], { indexFile })).split('\0').flatMap(parseEntry);
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
      const input = marked.map(({ path }) => `${path}\0`).join('');
      await demandGit(git, ['update-index', mark, '-z', '--stdin'], { indexFile: lookFile, input });
    }
  return { lookFile, submodules };
}

interface IndexEntry {
  readonly tag: string;
  readonly mode: string;
  readonly path: string;
}

/** `<tag> <mode> <object id> <stage>`, a tab, the path. */
function parseEntry(record: string): readonly IndexEntry[] {
  const [, tag, mode, path] = /^(\S) (\d{6}) [0-9a-f]+ \d\t(.+)$/s.exec(record) ?? [];
  return tag === undefined || mode === undefined || path === undefined ? [] : [{ tag, mode, path }];
}
