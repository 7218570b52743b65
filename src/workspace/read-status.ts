import type { Repository } from './find-repository.ts';
import { demandGit } from './git.ts';
import { type GitStatus, parseStatus } from './parse-status.ts';
import type { OwnIndex } from './write-tree.ts';

const statusArgs = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--no-renames',
  // Git would run in a submodule what its own configuration names.
  '--ignore-submodules=dirty',
];

/**
 * The status of the whole repository, without the state folders.
 *
 * @param options `withIgnored`: also what the repository ignores, a folder that a pattern names as one entry. `index`: one of ours instead of the user's.
 * @throws GitProblem
 */
export async function readStatus(
  repository: Repository,
  options: { readonly withIgnored?: boolean; readonly index?: OwnIndex } = {},
): Promise<GitStatus> {
  const { withIgnored = false, index } = options;
  const text = await demandGit(repository.git, [...statusArgs, ...(withIgnored ? ['--ignored=matching'] : [])], index);
  const status = parseStatus(text);
  return { ...status, entries: status.entries.filter((entry) => !repository.isOwnState(entry.path)) };
}
