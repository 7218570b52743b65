import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';

/** What lies in a working tree and is not tracked, by paths from its top. */
export interface Unknown {
  /** What git does not know, without the state of Ralph's own; a repository inside the other as its folder. */
  readonly untracked: readonly string[];
  /** Files of rules that git ignores. In a folder that is ignored as a whole it does not look for them, and neither does anybody here. */
  readonly ruleFiles: readonly string[];
}

const STATUS = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames', '--ignore-submodules=all'];
/** What git remembers of folders depends on their times, which can be put back. */
const config = ['core.untrackedCache=false'];

/**
 * Asks git once for both.
 *
 * @throws GitProblem
 */
export async function listUnknown({ git, isOwnState }: Pick<Repository, 'git' | 'isOwnState'>): Promise<Unknown> {
  const entries = (await demandGit(git, STATUS, { config })).split('\0');
  const pathsOf = (mark: string): readonly string[] =>
    entries.flatMap((entry) => (entry.startsWith(mark) && !isOwnState(entry.slice(mark.length)) ? [entry.slice(mark.length)] : []));
  return {
    untracked: pathsOf('?? ').map((path) => path.replace(/\/$/, '')),
    ruleFiles: pathsOf('!! ').filter((path) => path === '.gitignore' || path.endsWith('/.gitignore')),
  };
}
