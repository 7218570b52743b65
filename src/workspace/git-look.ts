import { setTimeout as sleep } from 'node:timers/promises';
import { compareGuarded, compareTrees, type TreeChange } from './compare-trees.ts';
import { type GuardedFile, isLock, readGuarded } from './git-guard.ts';
import { type KeptCopies, type Restored, readIndexLook, restoreTree } from './restore-tree.ts';
import { MAX_IGNORED, type RecordOrder, recordTree, type TreeRecord } from './tree-record.ts';

/** What is known of the beginning. */
export interface GitBeginning {
  readonly order: RecordOrder;
  readonly before: TreeRecord;
  /** How the index looked from outside. */
  readonly indexLook: string;
  /** What can be put back; `null` where nothing is to be. */
  readonly copies: KeptCopies | null;
}

/** What was found, and what became of it. */
export interface GitFindings {
  readonly changes: readonly TreeChange[];
  readonly diffFile: string | null;
  readonly restored: Restored | null;
  /** Why git could not look; `null` where it could. */
  readonly problem: string | null;
  /** The tree as it was found; `null` where it could not be looked at, or is another one since. */
  readonly after: TreeRecord | null;
  readonly notes: readonly string[];
}

const LOCK_WAITS = 10;
const LOCK_WAIT_MS = 100;

/**
 * Compares, and takes back. Git's own files come first, without git: one that was broken or changed must have no say in what git finds.
 *
 * @param showDiff see `TreeLook.end`
 */
export async function endInGit(beginning: GitBeginning, showDiff: () => Promise<string | null>): Promise<GitFindings> {
  const { order, before, copies } = beginning;
  const guarded = await readSettled(order, before);
  const guardedChanges = compareGuarded(before.guarded, guarded);
  const made = { order, before, after: { ...before, guarded }, copies: copies ?? new Map() };
  const first = copies === null || guardedChanges.length === 0 ? null : await restoreTree(guardedChanges, made);
  const found = await findRest(beginning).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (typeof found === 'string')
    return { changes: guardedChanges, diffFile: null, restored: first, problem: found, after: null, notes: [] };
  const { rest, after } = found;
  const changes = [...rest.filter((change) => change.in !== 'index'), ...guardedChanges, ...rest.filter((change) => change.in === 'index')];
  const notes = [
    ...(after.isIgnoredWhole && before.isIgnoredWhole ? [] : [IGNORED_NOTE]),
    ...(after.isNestedWhole && before.isNestedWhole ? [] : [NESTED_NOTE]),
  ];
  if (changes.length === 0) return { changes, diffFile: null, restored: null, problem: null, after, notes };
  const diffFile = await showDiff().catch(() => null);
  if (copies === null) return { changes, diffFile, restored: null, problem: null, after: { ...after, guarded }, notes };
  const second = await restoreTree(rest, { ...made, after });
  const restored = { count: (first?.count ?? 0) + second.count, notes: [...(first?.notes ?? []), ...second.notes] };
  const left = await recordTree(order, before).catch(() => null);
  return { changes, diffFile, restored, problem: null, after: left, notes };
}

const IGNORED_NOTE = `Git ignores more than ${MAX_IGNORED} files here: the rest of them was not looked at.`;
const NESTED_NOTE = `The repositories in this one have more than ${MAX_IGNORED} files: the rest of them was not looked at.`;

/** Everything but git's own files. */
async function findRest({ order, before, indexLook }: GitBeginning): Promise<{ rest: readonly TreeChange[]; after: TreeRecord }> {
  const after = await recordTree(order, before);
  const look = readIndexLook(order.repository.gitDir);
  const isIndexSame = indexLook === look || (await isStagedSame(order));
  const rest = compareTrees(before, { ...after, guarded: before.guarded });
  const index: TreeChange = { path: '.git/index', what: 'index', in: 'index', before: '', after: look };
  return { rest: isIndexSame ? rest : [...rest, index], after };
}

/** A person's git holds its locks for a moment: a new one is given the time to go. */
async function readSettled({ repository, commonDir }: RecordOrder, before: TreeRecord): Promise<ReadonlyMap<string, GuardedFile>> {
  const read = (): ReadonlyMap<string, GuardedFile> => readGuarded({ ...repository, commonDir }, before.nestedRoots);
  const hasNewLock = (files: ReadonlyMap<string, GuardedFile>): boolean =>
    [...files.keys()].some((name) => isLock(name) && !before.guarded.has(name));
  let guarded = read();
  for (let turn = 0; turn < LOCK_WAITS && hasNewLock(guarded); turn += 1) {
    await sleep(LOCK_WAIT_MS);
    guarded = read();
  }
  return guarded;
}

/** Git writes its index also where somebody only looked: what is staged, and the marks beside it, tell. */
async function isStagedSame({ repository, indexFile }: RecordOrder): Promise<boolean> {
  const args = ['ls-files', '--stage', '-v', '-z'];
  const [own, real] = await Promise.all([repository.git(args, { indexFile }), repository.git(args)]);
  return own.ok && real.ok && own.stdout === real.stdout;
}
