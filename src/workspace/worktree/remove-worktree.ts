import { existsSync, realpathSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError, toErrorMessage } from '../../core/values/errors.ts';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { toWorktreePlace, type WorktreePlace } from '../../git/worktree-place.ts';
import { readLink } from '../../process/paths.ts';
import { listMounts, removeTree } from '../../process/remove-tree.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { planLinks } from './link-shared.ts';
import { readContents, toDirty, toFailure, toIgnoredWork, type WorktreeContents } from './worktree-contents.ts';

export interface WorktreeRemoval extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds the worktrees. */
  readonly stateDir: string;
  readonly name: string;
  /** The links that were asked for when it was made. */
  readonly links: readonly string[];
  /** What was the user's own when the run in it began; `null`: not known. */
  readonly baseline: Baseline | null;
  /** Also when there are uncommitted changes or ignored files in it, and with the commits of its branch: all of them are then lost. */
  readonly force: boolean;
}

export interface RemovedWorktree {
  /** False when there was none of that name. */
  readonly isRemoved: boolean;
  /** Its branch, which is kept when it has commits that the current one has not; null otherwise. */
  readonly keptBranch: string | null;
  /** What git ignored in it and a tool makes again, which went with it. */
  readonly renewable: readonly string[];
}

/**
 * Removes a worktree with everything in it, and its branch unless that has commits of its own (with `force` also then). What its links lead to stays.
 *
 * @throws RalphError: `worktree-name`, `worktree-place`, `worktree-dirty` (not with `force`), `worktree-mounted`, `worktree-failed`.
 */
export async function removeWorktree(order: WorktreeRemoval): Promise<RemovedWorktree> {
  const place = toWorktreePlace(order.cwd, order.stateDir, order.name);
  const main = await demandRepository(order, order.cwd);
  if (!existsSync(place.path)) {
    await main.git(['worktree', 'prune']);
    return { isRemoved: false, keptBranch: null, renewable: [] };
  }
  const worktree = await demandRepository(order, place.path);
  const links = findLinks(order, place.path, main.prefix);
  requireNoMounts(order.name, place.path);
  const contents = await readContents(order, main, worktree, order.baseline);
  if (!order.force) await checkClean(order, main, place, contents);
  for (const link of links) unlinkSync(join(place.path, link));
  const removed = await main.git(['worktree', 'remove', '--force', place.path]);
  if (!removed.ok) await removeByHand(order, place.path, worktree, main, removed.problem);
  const deleted = await main.git(['branch', '--delete', ...(order.force ? ['--force'] : []), place.branch]);
  return { isRemoved: true, keptBranch: deleted.ok ? null : place.branch, renewable: contents.renewable };
}

/** What lies in a mount is not of the worktree, and git would remove it with it. */
function requireNoMounts(name: string, path: string): void {
  const mounts = listMounts(path);
  if (mounts.length === 0) return;
  throw new RalphError({
    code: 'worktree-mounted',
    what: `The worktree ${name} stays: something is mounted in it (${mounts.map((mount) => maskControls(mount)).join(', ')}).`,
    why: 'What lies there would be removed with it.',
    fix: `Take it away: sudo umount ${mounts.toReversed().map(toShellWord).join(' ')}\nThen: ralph worktrees remove ${name}`,
  });
}

/** How git says that it agreed to remove the folder, began, and could not go on: something is nested deeper than a path may be long, or may not be opened. */
const IS_HALFWAY = /^failed to delete '/;

async function removeByHand(order: WorktreeRemoval, path: string, worktree: Repository, main: Repository, problem: string): Promise<void> {
  // Only the folder that git meant: no link, and not the main checkout.
  const isOwn = realpathSync(path) === worktree.top && worktree.top !== main.top;
  if (!IS_HALFWAY.test(problem) || !isOwn) throw toFailure(order.name, 'removed', problem);
  try {
    removeTree(worktree.top);
  } catch (error) {
    throw toFailure(order.name, 'removed', toErrorMessage(error));
  }
  await main.git(['worktree', 'prune']);
}

async function demandRepository(order: WorktreeRemoval, cwd: string): Promise<Repository> {
  const search = await findRepository({ ...order, cwd });
  if (search.ok) return search.value;
  throw toFailure(order.name, 'removed', search.refused);
}

/** The links that are still as `createWorktree` made them, from the top of the repository. */
function findLinks(order: WorktreeRemoval, top: string, prefix: string): string[] {
  return planLinks(order.links)
    .filter((name) => readLink(join(top, prefix, name)) === join(order.cwd, name))
    .map((name) => join(prefix, name));
}

async function checkClean(order: WorktreeRemoval, main: Repository, place: WorktreePlace, contents: WorktreeContents): Promise<void> {
  const { changed, ignored } = contents;
  if (changed.length > 0) throw toDirty(order.name, place.path, [...changed, ...ignored], 'They would be lost with it.');
  if (ignored.length === 0) return;
  const { stdout } = await main.git(['rev-list', '--count', `HEAD..${toRef(place.branch)}`]);
  throw toIgnoredWork(order.name, place.path, ignored, Number(stdout));
}
