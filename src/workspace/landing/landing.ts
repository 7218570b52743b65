import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { demandTrueObjects } from '../../git/objects.ts';
import { countCommits, findCheckout, isAncestor, readCommit, toRef } from '../../git/refs.ts';
import { findRepository, readHead } from '../../git/repository.ts';
import { linkShared, planLinks } from '../worktree/link-shared.ts';
import { addPlace, removePlace, toPlaceApart } from '../worktree/place-apart.ts';
import { type MergeConflict, type MergeResult, mergeApart } from './merge-apart.ts';
import { type BranchMove, listOverwritten, moveBranch } from './move-branch.ts';
import { type OpenConflict, openConflict } from './settle-conflict.ts';
import { settleMove } from './settle-move.ts';

export interface LandingOrder extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds the worktrees. */
  readonly stateDir: string;
  readonly runId: string;
  /** Short names. */
  readonly branch: string;
  readonly onto: string | null;
  readonly links: readonly string[];
}

export interface LandingEnds {
  /** Tip of the run's branch; null: there is no such branch. */
  readonly source: string | null;
  readonly onto: string;
  readonly target: string;
  /** Commits that the target has not. */
  readonly commits: number;
}

export interface MergeWish {
  readonly subject: string;
  readonly isSquashed: boolean;
  /** A merge of these ends that was made before, and is taken as it is; absent: none. */
  readonly made?: { readonly commit: string; readonly how: 'merge' | 'squash' };
}

export interface MergePlace {
  /** The folder in its worktree that corresponds to the order's `cwd`. */
  readonly cwd: string;
  /** The same, seen from the top of the repository: empty, or a path that ends in `/`. */
  readonly prefix: string;
  /** Makes the files as they were before the merge. */
  readonly toTarget: () => Promise<void>;
  /** For somebody who resolves what git could not. A merge that is settled is checked out anew: what was ignored in the folder is gone. */
  readonly openConflict: (conflicts: readonly MergeConflict[], scratchDir: string) => Promise<OpenConflict>;
}

/** Uses a merge in its folder. */
export type UseMerge<T> = (merge: MergeResult, place: MergePlace) => Promise<T>;

export interface Landing extends LandingEnds {
  readonly main: Repository;
  /** True if a commit is on the target already. */
  readonly has: (commit: string) => Promise<boolean>;
  /** Where the target is checked out; null: nowhere. */
  readonly checkout: () => Promise<string | null>;
  /** See `listOverwritten`, `moveBranch`, `settleMove`. */
  readonly listOverwritten: (move: BranchMove) => Promise<readonly string[]>;
  readonly move: (move: BranchMove) => Promise<void>;
  readonly settle: (move: BranchMove, scratchDir: string) => Promise<void>;
  /**
   * Merges in a worktree for this alone and has it used. The worktree is removed after that, whatever happens; one that was left by a kill, before.
   */
  readonly mergeIn: <T>(order: MergeWish, use: UseMerge<T>) => Promise<T>;
  /** Deletes the run's branch if it still is at that commit. */
  readonly dropBranch: (commit: string) => Promise<void>;
}

const OTHER_BRANCH = 'Name a branch that is there, of those that `git branch` lists: --onto BRANCH';

/**
 * Looks at both ends. Changes nothing.
 *
 * @throws GitProblem with a reason for which nothing can be landed
 */
export async function openLanding(order: LandingOrder): Promise<Landing> {
  const search = await findRepository(order);
  if (!search.ok) throw new GitProblem(search.refused);
  const main = search.value;
  const { git } = main;
  const onto = order.onto ?? (await readHead(git)).branch;
  if (onto === null) throw new GitProblem('HEAD is detached, and no branch is named', OTHER_BRANCH);
  if (onto === order.branch) throw new GitProblem(`${onto} is the branch of the run itself`, OTHER_BRANCH);
  const [source, target] = [await readCommit(git, toRef(order.branch)), await readCommit(git, toRef(onto))];
  if (target === null) throw new GitProblem(`there is no branch ${JSON.stringify(onto.slice(0, 100))}`, OTHER_BRANCH);
  return {
    main,
    source,
    onto,
    target,
    commits: source === null ? 0 : await countCommits(git, target, source),
    has: (commit) => isAncestor(git, commit, target),
    checkout: () => findCheckout(main, onto),
    listOverwritten: (move) => listOverwritten(main, order, move),
    move: (move) => moveBranch(main, order, move),
    settle: (move, scratchDir) => settleMove(main, order, move, scratchDir),
    mergeIn: (merge, use) => mergeIn(order, main, { ...merge, source: source ?? target, target }, use),
    async dropBranch(commit) {
      await demandGit(git, ['update-ref', '--no-deref', '-d', toRef(order.branch), commit]);
    },
  };
}

interface MergeEnds extends MergeWish {
  readonly source: string;
  readonly target: string;
}

async function mergeIn<T>(order: LandingOrder, main: Repository, ends: MergeEnds, use: UseMerge<T>): Promise<T> {
  await demandTrueObjects(main, ends.source, ends.target);
  const { path } = toPlaceApart(order, 'land');
  const links = planLinks(order.links);
  const { prefix } = main;
  const cwd = resolve(path, prefix);
  const link = async (): Promise<void> => {
    mkdirSync(cwd, { recursive: true });
    await linkShared({ cwd: order.cwd, env: order.env, links }, cwd);
  };
  const checkOut = async (commit: string): Promise<Repository> => {
    await removePlace(main, path, links);
    return addPlace(main, { ...order, cwd: path }, commit);
  };
  try {
    const { made, ...wanted } = ends;
    if (made !== undefined) await demandTrueObjects(main, made.commit, ends.target);
    const repository = await checkOut(made?.commit ?? ends.target);
    const mergeOrder = { ...wanted, runId: order.runId };
    const merge = made === undefined ? await mergeApart(repository, mergeOrder) : { isMerged: true as const, ...made };
    if (merge.isMerged) await link();
    return await use(merge, {
      cwd,
      prefix,
      toTarget: async () => void (await demandGit(repository.git, ['reset', '--quiet', '--hard', ends.target])),
      async openConflict(conflicts, scratchDir) {
        await link();
        const conflict = await openConflict(repository, mergeOrder, { conflicts, indexFile: join(scratchDir, 'merge.index') });
        return {
          ...conflict,
          async settle() {
            const settled = await conflict.settle();
            if (settled.commit !== null) {
              // What the hat wrote under a name counts for git, whatever the file in the folder says.
              await demandTrueObjects(main, settled.commit, ends.target);
              await checkOut(settled.commit);
              await link();
            }
            return settled;
          },
        };
      },
    });
  } finally {
    await removePlace(main, path, links);
  }
}
