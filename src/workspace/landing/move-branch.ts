import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toShellWord } from '../../core/text/shell-word.ts';
import { ABSENT, type Repository, type RepositorySettings } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { findOngoingOperation } from '../../git/git-activity.ts';
import { findCheckout, toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { listDifferences } from '../../git/trees.ts';

export interface BranchMove {
  /** Short name. */
  readonly branch: string;
  readonly from: string;
  readonly to: string;
}

/**
 * What of a person would be overwritten in the working tree in which the branch is checked out: files that are not committed, or that git ignores.
 *
 * @throws GitProblem, also in the middle of a merge or a rebase
 */
export async function listOverwritten(main: Repository, settings: RepositorySettings, move: BranchMove): Promise<readonly string[]> {
  const tree = await openCheckout(main, settings, move.branch);
  if (tree === null) return [];
  const operation = findOngoingOperation(tree.gitDir);
  if (operation !== undefined)
    throw new GitProblem(`${operation} is under way in ${tree.top}`, `End it there; what it is: git -C ${toShellWord(tree.top)} status`);
  return (await listTouched(tree, move)).map(({ path }) => path);
}

/** What is not committed and lies where the move would write, remove or make a folder. */
export async function listTouched(tree: Repository, { from, to }: BranchMove): Promise<readonly { readonly path: string }[]> {
  const changed = await listDifferences(tree.git, from, to);
  const files = new Set(changed.map(({ path }) => path));
  const written = changed.filter(({ right }) => right !== ABSENT).map(({ path }) => path);
  const folders = new Set(written.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))));
  const { entries } = await readStatus(tree, { withIgnored: true });
  const target = new Map(changed.map(({ path, right }) => [path, right]));
  return entries.filter(({ path: entry, kind, unstaged, index }) => {
    // Staged just as it will be: git takes it for what it is.
    if (kind === 'changed' && unstaged === '.' && target.get(entry) === index) return false;
    const path = entry.replace(/\/$/, '');
    // A folder of files that git ignores may hold one that comes; git's own submodules stay as they are.
    if (entry.endsWith('/'))
      return written.some((file) => file === path || (kind === 'ignored' && file.startsWith(entry) && existsSync(join(tree.top, file))));
    return files.has(path) || folders.has(path) || written.some((file) => path.startsWith(`${file}/`));
  });
}

/**
 * Moves the branch forward, with the files where it is checked out, as `git merge --ff-only` does it. Nothing that is not committed is touched.
 *
 * @throws GitProblem, also when the branch was moved meanwhile
 */
export async function moveBranch(main: Repository, settings: RepositorySettings, move: BranchMove): Promise<void> {
  const tree = await openCheckout(main, settings, move.branch);
  const { branch, from, to } = move;
  if (tree === null) {
    await demandGit(main.git, ['update-ref', '-m', 'ralph land', toRef(branch), to, from]);
    return;
  }
  const tip = (await demandGit(tree.git, ['rev-parse', 'HEAD'])).trim();
  if (tip !== from) throw new GitProblem(`${branch} was moved meanwhile`, 'The next try begins with what is there now.');
  const moved = await tree.git(['merge', '--ff-only', '--no-overwrite-ignore', '--no-verify-signatures', to], {
    config: ['merge.autoStash=false'],
  });
  // The branch goes last: where it has arrived, the files have too, whatever git could not do behind that.
  if (!moved.ok && (await demandGit(tree.git, ['rev-parse', 'HEAD'])).trim() !== to) throw new GitProblem(moved.problem);
}

/** The working tree in which a branch is checked out; null: in none. */
export async function openCheckout(main: Repository, settings: RepositorySettings, branch: string): Promise<Repository | null> {
  const path = await findCheckout(main, branch);
  if (path === null) return null;
  if (path === main.top) return main;
  const found = await findRepository({ ...settings, cwd: path });
  if (!found.ok) throw new GitProblem(`${branch} is checked out in ${path}, which cannot be read: ${found.refused}`);
  return found.value;
}
