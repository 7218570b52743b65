import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryFolders } from '../git/git-places.ts';

/** The folder in which the branches of runs lie. */
const BRANCHES = 'refs/heads/ralph';

/** A repository of which only that can be written which a commit on the branch of a run needs. */
export interface NarrowRepository extends RepositoryFolders {
  /** In what can be written what cannot: real paths. */
  readonly kept: readonly string[];
}

/**
 * Of a worktree's repository: its own index and HEAD, new objects, the branches of runs. Not the configuration, hooks, other branches, packed objects, and not the files by
 * which git finds from the worktree to the repository and back. Nothing where the repository is not certainly that of a worktree.
 *
 * @throws the system error where a folder for branches cannot be made
 */
export function narrowRepository(repository: RepositoryFolders): NarrowRepository {
  const [root, own] = repository.folders;
  const [common] = repository.written;
  const isWorktree = common !== undefined && own !== undefined && dirname(dirname(own)) === common;
  if (!isWorktree || root === undefined) return { ...repository, written: [], kept: [] };
  const branches = [join(common, BRANCHES), join(common, 'logs', BRANCHES)];
  // What is not there could be made.
  const closed = ['info', 'pack'].map((name) => join(common, 'objects', name));
  for (const folder of [...branches, ...closed]) mkdirSync(folder, { recursive: true });
  const settings = join(own, 'config.worktree');
  if (!existsSync(settings)) writeFileSync(settings, '', { flag: 'wx' });
  const kept = [...['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name)), ...closed, join(root, '.git')];
  return {
    ...repository,
    written: [own, join(common, 'objects'), ...branches].filter(isPlain),
    kept: kept.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  };
}

/** A link in git's folder could lead anywhere. */
function isPlain(path: string): boolean {
  return existsSync(path) && realpathSync(path) === path;
}
