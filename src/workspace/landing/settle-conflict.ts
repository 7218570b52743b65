import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnIndex, Repository } from '../../git/contract.ts';
import { isOddName } from '../../git/file-names.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { isOwnWorktree } from '../../git/git-places.ts';
import { readCommit } from '../../git/refs.ts';
import { readStatus } from '../../git/status.ts';
import { commitTree, isSubmodule, listDifferences, listIndex, readTree, toPathList, writeTree } from '../../git/trees.ts';
import { readStanding, storePresent } from '../snapshot/present-tree.ts';
import { findMarkers } from './conflict-markers.ts';
import { type MergeConflict, type MergeOrder, readStages } from './merge-apart.ts';

export interface OpenFile extends Pick<MergeConflict, 'path' | 'what'> {
  /** Whether git marked the places in it. */
  readonly isMarked: boolean;
}

/** A merge that git left with conflicts, ready for somebody who resolves it in the files. */
export interface OpenConflict {
  readonly files: readonly OpenFile[];
  /** The newest commits of each side that touched these files: `<id> <subject>`. */
  readonly targetCommits: readonly string[];
  readonly sourceCommits: readonly string[];
  /**
   * Looks at the files as they are now, and stores the merge where every conflict is decided. Believes neither HEAD nor the index, which others may have changed.
   *
   * @throws GitProblem
   */
  readonly settle: () => Promise<SettledConflict>;
}

export interface SettledConflict {
  /** `null` where something is left: see `faults`. */
  readonly commit: string | null;
  /** What is left, a sentence each. */
  readonly faults: readonly string[];
  /** Files that were changed though they were not in conflict. */
  readonly others: readonly string[];
}

const SHOWN_COMMITS = 10;
const NAMED_FILES = 50;

/**
 * Notes what git left behind a merge that it could not finish.
 *
 * @throws GitProblem, also for a submodule: no file says which of its commits is right
 */
export async function openConflict(
  repository: Repository,
  order: MergeOrder,
  given: { readonly conflicts: readonly MergeConflict[]; readonly indexFile: string },
): Promise<OpenConflict> {
  const { git, top } = repository;
  const stages = await readStages(git);
  const submodule = [...stages].find(([, sides]) => [...sides.values()].some(isSubmodule))?.[0];
  if (submodule !== undefined) throw new GitProblem(`both sides moved the submodule ${submodule}`, 'Choose its commit by hand.');
  const marked = new Set([...stages.keys()].filter((path) => findMarkers(top, path, toLabel(order)).some(({ isLabelled }) => isLabelled)));
  const files = given.conflicts.map(({ path, what }) => ({ path, what, isMarked: marked.has(path) }));
  const index = { indexFile: given.indexFile };
  const before = await storeLeft(repository, [...stages.keys()], index);
  const notOurs = new Set(await listDiffering(repository, before, index));
  const left: LeftMerge = { repository, order, index, stages, marked, before, notOurs };
  const base = (await git(['merge-base', order.target, order.source])).stdout.trim();
  const named = [...stages.keys()].filter((path) => !isOddName(path)).slice(0, NAMED_FILES);
  const listCommits = async (tip: string): Promise<readonly string[]> => {
    const range = base === '' ? tip : `${base}..${tip}`;
    const log = await git(['--literal-pathspecs', 'log', '--no-merges', `-n${SHOWN_COMMITS}`, '--format=%h %s', range, '--', ...named]);
    return log.stdout.split('\n').filter((line) => line !== '');
  };
  return {
    files,
    targetCommits: await listCommits(order.target),
    sourceCommits: await listCommits(order.source),
    settle: () => settle(left),
  };
}

interface LeftMerge {
  readonly repository: Repository;
  readonly order: MergeOrder;
  readonly index: OwnIndex;
  readonly stages: Awaited<ReturnType<typeof readStages>>;
  readonly marked: ReadonlySet<string>;
  /** The tree of the files as git left them. */
  readonly before: string;
  /** What differed from it all the same, and is not looked at. */
  readonly notOurs: ReadonlySet<string>;
}

function toLabel({ source }: Pick<MergeOrder, 'source'>): readonly string[] {
  return ['HEAD', source];
}

/** The tree of the files as git left them: what it merged by itself, and the files in conflict with its marks. */
async function storeLeft(repository: Repository, paths: readonly string[], index: OwnIndex): Promise<string> {
  const { git } = repository;
  mkdirSync(dirname(index.indexFile), { recursive: true });
  rmSync(`${index.indexFile}.lock`, { force: true });
  const merged = (await listIndex(git)).filter(({ stage }) => stage === '0').map(({ mode, id, path }) => `${mode} ${id}\t${path}`);
  await readTree(git, index, null);
  await demandGit(git, ['update-index', '-z', '--index-info'], { ...index, input: toPathList(merged) });
  return storePresent(repository, await writeTree(git, index), paths, index);
}

/** The files that differ from a tree, and those that nobody knows: links that were made here, what a sparse checkout leaves out. */
async function listDiffering(repository: Repository, tree: string, index: OwnIndex): Promise<readonly string[]> {
  await readTree(repository.git, index, tree);
  const { entries } = await readStatus(repository, { index });
  return [...new Set(entries.filter(({ isRepository, unstaged }) => !isRepository && unstaged !== '.').map(({ path }) => path))];
}

async function settle(left: LeftMerge): Promise<SettledConflict> {
  const { repository, order, index, before } = left;
  const { git, top, gitDir } = repository;
  const isHere = (await git(['rev-parse', '--absolute-git-dir'])).stdout === `${gitDir}\n` && isOwnWorktree(top, repository);
  if (!isHere) return toRefused(['the folder is not the worktree any more that it was']);
  const gaveUp = await findEndedMerge(left);
  if (gaveUp !== null) return toRefused([gaveUp]);
  const differing = (await listDiffering(repository, before, index)).filter((path) => !left.notOurs.has(path));
  const tree = await storePresent(repository, before, differing, index);
  const changed = await listDifferences(git, before, tree);
  const others = changed.map(({ path }) => path).filter((path) => !left.stages.has(path));
  const touched = new Set(changed.map(({ path }) => path));
  const faults = [
    ...(await listFaults(left, touched)),
    ...others.flatMap((path) => (isLink(top, path) ? [toLinkFault(path)] : [])),
    ...others.flatMap((path) => (findMarkers(top, path, toLabel(order)).some(({ isLabelled }) => isLabelled) ? [toMarkerFault(path)] : [])),
  ];
  const untouched = (await demandGit(git, ['rev-parse', `${order.target}^{tree}`])).trim();
  if (faults.length === 0 && tree === untouched) faults.push('nothing is left of what the run did');
  if (faults.length > 0) return { commit: null, faults, others };
  const { target, source, subject, runId, isSquashed } = order;
  const commit = await commitTree(git, { tree, parent: target, subject, runId, ...(isSquashed ? {} : { merged: source }) });
  return { commit, faults, others };
}

function toRefused(faults: readonly string[]): SettledConflict {
  return { commit: null, faults, others: [] };
}

/** A merge that was given up leaves the files of one side, which look like a resolution. One that was committed all the same has both parents. */
async function findEndedMerge({ repository: { git }, order: { target, source } }: LeftMerge): Promise<string | null> {
  const [head, merging] = [await readCommit(git, 'HEAD'), await readCommit(git, 'MERGE_HEAD')];
  if (head === target) return merging === source ? null : 'the merge was given up: it is not under way any more';
  const parents = [await readCommit(git, 'HEAD^1'), await readCommit(git, 'HEAD^2')];
  return parents[0] === target && parents[1] === source ? null : 'HEAD was moved to another commit than the merge';
}

async function listFaults({ repository, stages, marked, order }: LeftMerge, touched: ReadonlySet<string>): Promise<readonly string[]> {
  const { git, top } = repository;
  const staged = await readStages(git);
  const faults: string[] = [];
  for (const [path, sides] of stages) {
    const standing = readStanding(top, path);
    const isWhole = sides.has('2') && sides.has('3');
    if (standing !== 'file') {
      if (standing !== 'nothing') faults.push(`${path} is no file any more`);
      else if (isWhole) faults.push(`${path} was deleted, though both sides have it`);
    } else if (isLink(top, path) && ![...sides.values()].some((side) => side.startsWith('120000 '))) faults.push(toLinkFault(path));
    else if (await hasOwnMarkers(repository, path, sides, toLabel(order))) faults.push(toMarkerFault(path));
    // Under its old name a file that both sides renamed is nowhere: that leaves nothing to decide.
    const isNowhere = standing === 'nothing' && !sides.has('2') && !sides.has('3');
    if (isNowhere || marked.has(path) || touched.has(path) || !staged.has(path)) continue;
    faults.push(`${path} is undecided: git marks no place in it, it is as git left it, and nobody said with \`git add\` that it is right`);
  }
  return faults;
}

/** No merge asks for a new link, and one may lead anywhere. */
function toLinkFault(path: string): string {
  return `${path} was made a link`;
}

function isLink(top: string, path: string): boolean {
  return lstatSync(join(top, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function toMarkerFault(path: string): string {
  return `${path} still has conflict markers`;
}

/** Lines that look like a marker and stand so in neither side. */
async function hasOwnMarkers(
  { git, top }: Repository,
  path: string,
  sides: ReadonlyMap<string, string>,
  labels: readonly string[],
): Promise<boolean> {
  const found = findMarkers(top, path, labels);
  if (found.length === 0) return false;
  const known = new Set<string>();
  for (const stage of ['2', '3']) {
    const [, id] = sides.get(stage)?.split(' ') ?? [];
    const text = id === undefined ? '' : (await git(['cat-file', 'blob', id])).stdout;
    for (const line of text.split('\n')) known.add(line.replace(/\r$/, ''));
  }
  return found.some(({ line }) => !known.has(line));
}
