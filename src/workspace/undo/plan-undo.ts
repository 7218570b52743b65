import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toLostText } from '../../core/run/turn.ts';
import { ABSENT, type Repository, type StatusEntry } from '../../git/contract.ts';
import { decodeNames, encodeNames } from '../../git/file-names.ts';
import { demandGit } from '../../git/git.ts';
import { readStatus } from '../../git/status.ts';
import { isSubmodule, listDifferences, listIndex, readTree, toPathList } from '../../git/trees.ts';
import { removeTree } from '../../process/remove-tree.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { readStanding, storePresent } from '../snapshot/present-tree.ts';
import { listChangedFiles, readBefore, readTrees } from '../snapshot/tree-names.ts';
import type { UndoStep } from './undo-record.ts';

/** Which work of a run to take back. */
export interface UndoOrder {
  readonly repository: Repository;
  readonly runId: string;
  /** Names of all its turns, such as `7.1`, in order. */
  readonly turns: readonly string[];
  /** The iteration behind which the files shall be; 0: before the first. */
  readonly toTurn: number;
  /** What was the person's own when the run began, where that is known. */
  readonly baseline: Baseline | null;
  /** Absolute path of a folder for files of ours. */
  readonly scratchDir: string;
}

/** A path that is left alone or in the way, and why. */
export interface UndoRemark {
  readonly path: string;
  readonly why: string;
}

export interface UndoPlan {
  readonly tree: string;
  /** In git's words: what is there now, and what will be. */
  readonly files: readonly UndoStep[];
  readonly index: readonly UndoStep[];
  /** Changed since the run's last snapshot: only with `--force` among the files that are taken back. */
  readonly changedSince: readonly UndoRemark[];
  /** What hinders it, whatever is said. */
  readonly hindrances: readonly UndoRemark[];
  readonly leftAlone: readonly UndoRemark[];
  /** Changed by others between two turns, too: a person, a gate, a checkpoint. */
  readonly changedBetween: readonly string[];
  /** Turns whose work is taken back. */
  readonly turns: readonly string[];
  /** Turns at the end of which nothing is known: they were killed, or git could not look. */
  readonly lostTurns: readonly string[];
}

/** What is known of the time that is taken back. */
interface UndoRange {
  readonly snapshots: ReadonlyMap<string, string>;
  /** The tree to go to. */
  readonly to: string;
  /** The last tree that is known. */
  readonly last: string;
  readonly turns: readonly string[];
  readonly lostTurns: readonly string[];
}

/**
 * Plans what takes back the work of a run's turns: exactly the files that they changed, each only where it still is what the last of them left.
 *
 * @returns null where the snapshots that this takes are not there
 * @throws GitProblem, or the system error when a file of ours cannot be made
 */
export async function planUndo(order: UndoOrder): Promise<UndoPlan | null> {
  const { repository, runId } = order;
  const range = findRange(await readTrees(repository, runId), order);
  if (range === null) return null;
  const known = range.turns.filter((turn) => !range.lostTurns.includes(turn));
  const changed = await listChangedFiles(repository, runId, known);
  if (changed === null) return null;
  const status = await readStatus(repository);
  const candidates = new Set(changed.filter((path) => !repository.isOwnState(path)));
  const index = { indexFile: join(order.scratchDir, 'undo.index') };
  const looked = [...candidates, ...(range.lostTurns.length > 0 ? await listUnknownPaths(repository, range.last, status.entries) : [])];
  const present = await storePresent(repository, range.last, [...new Set(looked)], index);
  const since = new Map((await listDifferences(repository.git, range.last, present)).map(({ path, right }) => [path, right]));
  const last = new Map((await listDifferences(repository.git, range.to, range.last)).map((entry) => [entry.path, entry]));
  const steps = await listDifferences(repository.git, present, range.to);
  const taken = steps.filter(
    ({ path, left, right }) => (candidates.has(path) || since.has(path)) && !isSubmodule(left) && !isSubmodule(right),
  );
  const leftAlone = await listLeftAlone(order, range, taken);
  const skipped = new Set(leftAlone.map(({ path }) => path));
  const files = taken.flatMap(({ path, left, right }) => (skipped.has(path) ? [] : [{ path, was: left, will: right }]));
  const submodules = [...last.values()].filter(({ left, right }) => isSubmodule(left) || isSubmodule(right));
  const between = await listChangedBetween(repository, range);
  const staged = planIndex({ files, since, entries: status.entries, own: toOwnStaged(order.baseline) });
  return {
    tree: range.to,
    files,
    index: [...staged, ...(await listDisplaced(repository, staged))],
    changedSince: files.filter(({ path }) => since.has(path)).map(({ path }) => ({ path, why: toSinceWhy(range) })),
    hindrances: findHindrances(repository.top, files),
    leftAlone: [...leftAlone, ...submodules.map(({ path }) => ({ path, why: 'it is a submodule, which has a history of its own' }))],
    changedBetween: files.map(({ path }) => path).filter((path) => between.has(path) && !since.has(path)),
    turns: range.turns,
    lostTurns: range.lostTurns,
  };
}

function toSinceWhy({ lostTurns }: UndoRange): string {
  return lostTurns.length === 0
    ? 'it was changed after the last turn'
    : `it was changed after the last snapshot, by you or in ${toLostText(lostTurns)}`;
}

function findRange(snapshots: ReadonlyMap<string, string>, { turns, toTurn }: UndoOrder): UndoRange | null {
  const before = (turn: string): string | undefined => readBefore(snapshots, turn);
  const after = (turn: string): string | undefined => snapshots.get(`${turn}/after`);
  const toIteration = (turn: string): number => Number(turn.split('.')[0]);
  // What came into the folder before the last of those that stay, stays.
  const end = turns.findLastIndex((turn) => toIteration(turn) <= toTurn) + 1;
  const [kept, undone] = [turns.slice(0, end), turns.slice(end)];
  const target = kept.at(-1);
  const first = turns[0];
  const to = target === undefined ? first && before(first) : after(target);
  const last = turns.flatMap((turn) => [before(turn), after(turn)]).findLast((tree) => tree !== undefined);
  if (to === undefined || last === undefined) return null;
  const lost = undone.findLastIndex((turn) => after(turn) !== undefined) + 1;
  return { snapshots, to, last, turns: undone, lostTurns: undone.slice(lost) };
}

/** Of a turn whose end was not seen nothing is known: every file that differs from what is known may be its work. */
async function listUnknownPaths(
  { git, isOwnState }: Repository,
  last: string,
  entries: readonly StatusEntry[],
): Promise<readonly string[]> {
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{tree}']);
  const moved = head.ok ? await listDifferences(git, last, head.stdout.trim()) : [];
  const dirty = entries.filter(({ isRepository }) => !isRepository).map(({ path }) => path);
  const listed = head.ok
    ? []
    : (await demandGit(git, ['ls-tree', '-r', '-z', '--name-only', last])).split('\0').filter((path) => path !== '');
  return [...dirty, ...moved.map(({ path }) => path), ...listed].filter((path) => !isOwnState(path));
}

/** What was there before the run, as far as anybody can tell, but in no snapshot: it is not taken for the run's. */
async function listLeftAlone(
  { repository, baseline, scratchDir }: UndoOrder,
  range: UndoRange,
  taken: readonly { readonly path: string; readonly right: string }[],
): Promise<readonly UndoRemark[]> {
  const removed = taken.filter(({ right }) => right === ABSENT).map(({ path }) => path);
  const own = new Set(baseline?.dirty.filter(({ content }) => content !== ABSENT).map(({ path }) => path));
  const wasIgnored = (path: string): boolean =>
    baseline?.ignored.some((name) => name === path || (name.endsWith('/') && path.startsWith(name))) ?? false;
  const rulesChanged = taken.some(({ path }) => path === '.gitignore' || path.endsWith('/.gitignore'));
  const ignored = rulesChanged ? await listIgnoredBy(repository, range.to, removed, join(scratchDir, 'rules')) : new Set<string>();
  return removed.flatMap((path) => {
    if (own.has(path)) return [{ path, why: 'it was there before the run, and no snapshot has the old version' }];
    return wasIgnored(path) || ignored.has(path) ? [{ path, why: 'git ignored it before, so no snapshot has the old version' }] : [];
  });
}

/** Which of these paths the ignore rules of a tree name. */
async function listIgnoredBy({ git }: Repository, tree: string, paths: readonly string[], folder: string): Promise<ReadonlySet<string>> {
  const index = { indexFile: `${folder}.index` };
  try {
    removeTree(folder);
    mkdirSync(folder, { recursive: true });
    await readTree(git, index, tree);
    const names = (await demandGit(git, ['ls-tree', '-r', '-z', '--name-only', tree])).split('\0');
    const rules = names.filter((name) => name === '.gitignore' || name.endsWith('/.gitignore'));
    await demandGit(git, ['checkout-index', `--prefix=${folder}/`, '-z', '--stdin'], { ...index, input: toPathList(rules) });
    const env = { GIT_WORK_TREE: folder };
    const { stdout } = await git(['check-ignore', '-z', '--no-index', '--stdin'], { ...index, input: toPathList(paths), env });
    return new Set(stdout.split('\0'));
  } finally {
    removeTree(folder);
    removeTree(index.indexFile);
  }
}

async function listChangedBetween({ git }: Repository, { snapshots, turns }: UndoRange): Promise<ReadonlySet<string>> {
  const pairs = turns.slice(1).flatMap((turn, at) => {
    const [left, right] = [snapshots.get(`${turns[at]}/after`), snapshots.get(`${turn}/before`)];
    return left === undefined || right === undefined || left === right ? [] : [[left, right] as const];
  });
  const found = await Promise.all(pairs.map(([left, right]) => listDifferences(git, left, right)));
  return new Set(found.flat().map(({ path }) => path));
}

/** The index beside the files that are taken back. */
interface IndexFacts {
  readonly files: readonly UndoStep[];
  readonly since: ReadonlyMap<string, string>;
  readonly entries: readonly StatusEntry[];
  /** What a person had staged when the run began. */
  readonly own: ReadonlyMap<string, string>;
}

function toOwnStaged(baseline: Baseline | null): ReadonlyMap<string, string> {
  return new Map(baseline?.dirty.flatMap(({ path, staged }) => (staged === undefined ? [] : [[path, staged] as const])));
}

/**
 * What the run staged is no longer staged; what a person staged stays, or is staged again. That the index holds just what the last turn left, and not what a person had
 * staged before, tells the two apart. Entries of other files stay as they are.
 */
function planIndex({ files, since, entries, own }: IndexFacts): readonly UndoStep[] {
  const staged = new Map(entries.filter(({ kind, staged }) => kind === 'changed' && staged !== '.').map((entry) => [entry.path, entry]));
  const others = new Map(entries.filter(({ staged }) => staged === '.' || staged === '?').map((entry) => [entry.path, entry]));
  return files.flatMap(({ path, was }) => {
    const mine = own.get(path);
    const entry = staged.get(path);
    if (entry?.isRepository || since.has(path)) return [];
    if (entry !== undefined)
      return entry.index !== was || entry.index === mine ? [] : [{ path, was: entry.index, will: mine ?? entry.head }];
    // As the commit has it, though a person had something else staged: that was the run.
    const now = others.get(path)?.index ?? was;
    return mine === undefined || mine === now ? [] : [{ path, was: now, will: mine }];
  });
}

/**
 * Entries that git drops when others come, because a file and a folder of one name cannot both be in an index: noted, so that the next undo brings them back.
 *
 * @throws GitProblem
 */
async function listDisplaced({ git }: Repository, steps: readonly UndoStep[]): Promise<readonly UndoStep[]> {
  const come = steps.filter(({ will }) => will !== ABSENT).map(({ path }) => path);
  if (come.length === 0) return [];
  const [files, folders] = [new Set(come), new Set(come.flatMap(listFolders))];
  const planned = new Set(steps.map(({ path }) => path));
  const displaced = (await listIndex(git)).filter(
    ({ path }) => !planned.has(path) && (folders.has(path) || listFolders(path).some((folder) => files.has(folder))),
  );
  return displaced.map(({ path, mode, id }) => ({ path, was: `${mode} ${id}`, will: ABSENT }));
}

/** The folders that a path lies in, outermost first. */
function listFolders(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, last) => names.slice(0, last + 1).join('/'));
}

/** What stands where a file would be put or taken away, and is none of those that go. Pure but for looks at the disk. */
export function findHindrances(top: string, files: readonly UndoStep[]): readonly UndoRemark[] {
  const gone = new Set(files.filter(({ will }) => will === ABSENT).map(({ path }) => path));
  return files.flatMap(({ path, will }) => {
    const standing = readStanding(top, path);
    if (standing === 'special') return [{ path, why: 'what stands there is neither a file nor a link' }];
    if (will === ABSENT) return [];
    const above = standing === 'behind' ? findAbove(top, path) : undefined;
    if (above !== undefined && !gone.has(above)) return [{ path: above, why: `it is where the folder of ${path} would be` }];
    const left = standing === 'folder' ? findLeft(top, path, gone) : undefined;
    return left === undefined ? [] : [{ path: left, why: `${path} would be a file, and this is in a folder of that name` }];
  });
}

function findAbove(top: string, path: string): string | undefined {
  return listFolders(path).find((folder) => !isFolder(join(top, folder)));
}

function isFolder(path: string): boolean {
  return lstatSync(encodeNames(path), { throwIfNoEntry: false })?.isDirectory() ?? true;
}

/** A file in a folder that would not go with it. */
function findLeft(top: string, folder: string, gone: ReadonlySet<string>): string | undefined {
  const bytes = encodeNames(join(top, folder));
  for (const name of existsSync(bytes) ? readdirSync(bytes, { encoding: 'buffer' }) : []) {
    const path = `${folder}/${decodeNames(name)}`;
    const left = isFolder(join(top, path)) ? findLeft(top, path, gone) : gone.has(path) ? undefined : path;
    if (left !== undefined) return left;
  }
  return undefined;
}
