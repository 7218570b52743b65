import { existsSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { toShellWord } from '../../core/text/shell-word.ts';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { toWorktreePlace, type WorktreePlace } from '../../git/worktree-place.ts';
import { listMounts, removeTree } from '../../process/remove-tree.ts';
import { planLinks } from './link-shared.ts';

/** What worktrees of Ralph's own are for: a landing, and a look at the work with the tests of the start. */
export const PLACES_APART = ['land', 'tests'] as const;

export interface PlaceOwner extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds the worktrees. */
  readonly stateDir: string;
  readonly runId: string;
}

/** The place of a worktree that nobody works in. */
export function toPlaceApart(
  { cwd, stateDir, runId }: Pick<PlaceOwner, 'cwd' | 'stateDir' | 'runId'>,
  kind: (typeof PLACES_APART)[number],
): WorktreePlace {
  return toWorktreePlace(cwd, stateDir, `${kind}-${runId}`);
}

/** What stands behind `land-` or `tests-` in the names of the folders there: ids of runs, where Ralph made them. */
export function listPlacesApart(worktreesDir: string): readonly string[] {
  if (!existsSync(worktreesDir)) return [];
  const folders = readdirSync(worktreesDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const ids = folders.flatMap(({ name }) =>
    PLACES_APART.flatMap((kind) => (name.startsWith(`${kind}-`) ? [name.slice(kind.length + 1)] : [])),
  );
  return [...new Set(ids)];
}

/** Removes the worktrees that a killed process left; one with a branch is somebody's, and stays. Throws the system error. */
export async function removePlacesApart(order: PlaceOwner & { readonly links: readonly string[] }): Promise<void> {
  for (const kind of PLACES_APART) {
    const { path, branch } = toPlaceApart(order, kind);
    if (!existsSync(path)) continue;
    const [main, place] = await Promise.all([findRepository(order), findRepository({ ...order, cwd: path })]);
    if (!main.ok || !place.ok || place.value.top !== path) continue;
    const isOnBranch = (await place.value.git(['symbolic-ref', '--quiet', 'HEAD'])).ok;
    const hasBranch = (await main.value.git(['rev-parse', '--verify', '--quiet', toRef(branch)])).ok;
    if (!isOnBranch && !hasBranch) await removePlace(main.value, path, planLinks(order.links));
  }
}

/**
 * Makes a worktree without a branch, and finds the repository in it.
 *
 * @param settings `cwd`: where it is to be
 * @throws GitProblem, or the system error
 */
export async function addPlace(
  main: Repository,
  settings: RepositorySettings,
  commit: string,
  flags: readonly string[] = [],
): Promise<Repository> {
  const { cwd } = settings;
  mkdirSync(dirname(cwd), { recursive: true });
  await demandGit(main.git, ['worktree', 'add', '--quiet', '--detach', ...flags, cwd, commit]);
  const found = await findRepository(settings);
  if (!found.ok || found.value.top !== cwd) throw new GitProblem(found.ok ? `${cwd} is no worktree` : found.refused);
  return found.value;
}

/** Nothing of anybody's is in it. What its links lead to stays. */
export async function removePlace(main: Repository, path: string, links: readonly string[]): Promise<void> {
  for (const link of links.map((name) => join(resolve(path, main.prefix), name))) {
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(link);
  }
  const [mount] = listMounts(path);
  if (mount !== undefined) throw new GitProblem(`something is mounted in ${path}`, `Take it away: sudo umount ${toShellWord(mount)}`);
  await main.git(['worktree', 'remove', '--force', '--force', path]);
  if (existsSync(path)) removeTree(path);
  await main.git(['worktree', 'prune']);
}
