import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findRepository, type Repository, type RepositorySettings } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';
import { linkShared, planLinks } from './link-shared.ts';
import { type MergeResult, mergeApart } from './merge-apart.ts';
import { type BranchMove, findCheckout, listOverwritten, moveBranch, settleMove } from './move-branch.ts';
import { removePlace, toPlaceApart } from './place-apart.ts';
import { toRef } from './worktree-place.ts';

/** Which branch goes into which. */
export interface LandingOrder extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds the worktrees. */
  readonly stateDir: string;
  readonly runId: string;
  /** Short names. */
  readonly branch: string;
  readonly onto: string | null;
  readonly links: readonly string[];
}

/** Both ends of a landing, as they are now. */
export interface LandingEnds {
  /** Tip of the run's branch; null: there is no such branch. */
  readonly source: string | null;
  readonly onto: string;
  readonly target: string;
  /** Commits that the target has not. */
  readonly commits: number;
}

/** Uses a merge in its folder, which `toTarget` makes as it was before the merge. */
export type UseMerge<T> = (merge: MergeResult, cwd: string, toTarget: () => Promise<void>) => Promise<T>;

/** What can be done with them. */
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
   * Merges in a worktree for this alone and has it used: with the result, and the folder in it that corresponds to the order's `cwd`. The worktree is removed
   * after that, whatever happens; one that was left by a kill, before.
   */
  readonly mergeIn: <T>(order: { readonly subject: string; readonly isSquashed: boolean }, use: UseMerge<T>) => Promise<T>;
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
  if (!search.found) throw new GitProblem(search.why);
  const main = search.repository;
  const { git } = main;
  const onto = order.onto ?? (await readBranch(main));
  if (onto === null) throw new GitProblem('HEAD is detached, and no branch is named', OTHER_BRANCH);
  if (onto === order.branch) throw new GitProblem(`${onto} is the branch of the run itself`, OTHER_BRANCH);
  const [source, target] = [await readTip(main, order.branch), await readTip(main, onto)];
  if (target === null) throw new GitProblem(`there is no branch ${JSON.stringify(onto.slice(0, 100))}`, OTHER_BRANCH);
  const counted = source === null ? '0' : await demandGit(git, ['rev-list', '--count', `${target}..${source}`]);
  return {
    main,
    source,
    onto,
    target,
    commits: Number(counted),
    has: async (commit) => (await git(['merge-base', '--is-ancestor', commit, target])).ok,
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

async function readBranch({ git }: Repository): Promise<string | null> {
  const head = await git(['symbolic-ref', '--quiet', 'HEAD']);
  return head.ok ? head.stdout.trim().replace('refs/heads/', '') : null;
}

async function readTip({ git }: Repository, branch: string): Promise<string | null> {
  const tip = await git(['rev-parse', '--verify', '--quiet', `${toRef(branch)}^{commit}`]);
  return tip.ok ? tip.stdout.trim() : null;
}

interface MergeEnds {
  readonly subject: string;
  readonly isSquashed: boolean;
  readonly source: string;
  readonly target: string;
}

async function mergeIn<T>(order: LandingOrder, main: Repository, ends: MergeEnds, use: UseMerge<T>): Promise<T> {
  const { path } = toPlaceApart(order, 'land');
  const links = planLinks(order.links);
  await removePlace(main, path, links);
  try {
    mkdirSync(dirname(path), { recursive: true });
    await demandGit(main.git, ['worktree', 'add', '--quiet', '--detach', path, ends.target]);
    const found = await findRepository({ ...order, cwd: path });
    if (!found.found || found.repository.top !== path) throw new GitProblem(found.found ? `${path} is no worktree` : found.why);
    const merge = await mergeApart(found.repository, { ...ends, runId: order.runId });
    const cwd = resolve(path, main.prefix);
    mkdirSync(cwd, { recursive: true });
    if (merge.isMerged) await linkShared({ cwd: order.cwd, env: order.env, links }, cwd);
    const { git } = found.repository;
    return await use(merge, cwd, async () => void (await demandGit(git, ['reset', '--quiet', '--hard', ends.target])));
  } finally {
    await removePlace(main, path, links);
  }
}
