import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showName } from '../../core/text/file-name.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import { tryOr } from '../../core/values/result.ts';
import { ABSENT, type Repository } from '../../git/contract.ts';
import { decodeNames, encodeNames, toLook } from '../../git/file-names.ts';
import { isGitAtWork } from '../../git/git-activity.ts';
import { removeTree } from '../../process/remove-tree.ts';
import { readFileVersion } from '../snapshot/file-version.ts';
import { type GuardedFile, isLock, isWorktree, readGuarded } from './git-files.ts';
import {
  AS_IN_INDEX,
  compareGuarded,
  compareTrees,
  MAX_IGNORED,
  REPOSITORY,
  type RecordOrder,
  readVersion,
  recordTree,
  type TreeChange,
  type TreeRecord,
} from './tree-record.ts';

export interface GitBeginning {
  readonly order: RecordOrder;
  readonly before: TreeRecord;
  readonly indexLook: string;
  /** What can be put back; `null` where nothing is to be. */
  readonly copies: KeptCopies | null;
  /** When that was, by the clock of the system; epoch milliseconds. */
  readonly beganAt: number;
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
  const { order, before, copies, beganAt } = beginning;
  const guarded = await readSettled(order, before);
  const guardedChanges = compareGuarded(before.guarded, guarded);
  const made = { order, before, after: { ...before, guarded }, copies: copies ?? new Map(), beganAt };
  const first = copies === null || guardedChanges.length === 0 ? null : await restoreTree(guardedChanges, made);
  const found = await findRest(beginning).catch(toErrorMessage);
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

/** Copies of the files that nobody could get from git: those that differed before the turn. */
type KeptCopies = ReadonlyMap<string, string>;

const MAX_COPIED_BYTES = 64 << 20;

/** Copies what differs from the index, as far as that goes, so that it can be put back. Never throws. */
export function keepCopies(record: TreeRecord, top: string, folder: string): KeptCopies {
  const copies = new Map<string, string>();
  let left = MAX_COPIED_BYTES;
  removeTree(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [path, { version }] of record.dirty) {
    if (version === ABSENT || version === REPOSITORY) continue;
    const copy = join(folder, String(copies.size));
    const size = copyFile(join(top, path), copy, left);
    if (size === null) continue;
    left -= size;
    copies.set(path, copy);
  }
  return copies;
}

function copyFile(from: string, to: string, maxBytes: number): number | null {
  return tryOr(() => {
    const path = encodeNames(from);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(path), to);
    else if (stats.isFile() && stats.size <= maxBytes) copyFileSync(path, to);
    else return null;
    return stats.size;
  }, null);
}

interface Restoration {
  readonly order: RecordOrder;
  readonly before: TreeRecord;
  readonly after: TreeRecord;
  readonly copies: KeptCopies;
  readonly beganAt: number;
}

interface Restored {
  readonly count: number;
  /** In words, one for each change that stands. */
  readonly notes: readonly string[];
}

/**
 * Takes changes back, exactly these and nothing else: each only if what is there is still what was found (a person may be at work in the same
 * folder), and only where what was there before is known. Never rejects.
 */
async function restoreTree(changes: readonly TreeChange[], made: Restoration): Promise<Restored> {
  const notes: string[] = [];
  let count = 0;
  // Git's own files first: a changed configuration must not have a say in what follows. What is in the way goes before what comes back.
  const rank = ({ in: where, before }: TreeChange): number => (where === 'guarded' ? 0 : where === 'refs' ? 1 : before === ABSENT ? 2 : 3);
  for (const change of [...changes].sort((left, right) => rank(left) - rank(right))) {
    const why = await restore(change, made).catch(toErrorMessage);
    if (why === null) count += 1;
    else notes.push(`${showName(change.path)}: ${why}`);
    if (why === null && change.before === ABSENT && (change.in === 'dirty' || change.in === 'ignored')) leaveEmpty(change.path, made);
  }
  return { count, notes };
}

/** Removes the folders around a removed file that the turn made, as far as nothing else is in them. One that was there before, and empty, git does not know: its birth tells. */
function leaveEmpty(path: string, { order, beganAt }: Restoration): void {
  for (let folder = dirname(path); folder !== '.' && folder !== '/'; folder = dirname(folder)) {
    try {
      const place = encodeNames(join(order.repository.top, folder));
      // Where the file system knows of no births, all are old.
      if (lstatSync(place).birthtimeMs < beganAt) return;
      rmdirSync(place);
    } catch {
      // Not empty, or not there.
      return;
    }
  }
}

/** Null when it was taken back, else why not. */
async function restore(change: TreeChange, made: Restoration): Promise<string | null> {
  const { repository } = made.order;
  if (change.in === 'guarded') return restoreGuarded(change, made);
  if (change.in === 'refs') return restoreRef(change, repository);
  if (change.in === 'index') return restoreIndex(change, made.order);
  if (change.in === 'nested' || change.before === REPOSITORY || change.after === REPOSITORY)
    return 'it belongs to a repository of its own, which is left as it is';
  const file = join(repository.top, change.path);
  const isSame = change.in === 'ignored' ? toLook(file) === toLookText(change.after) : isStill(change, made.order);
  if (!isSame) return 'it was changed again meanwhile, so it is left as it is';
  if (!isInside(file, repository.top)) return 'it lies behind a link that leads out of the folder';
  if (change.before === ABSENT) return removeFile(file);
  if (change.in === 'ignored') return 'git ignores it, so what was there before is not known';
  if (change.before === AS_IN_INDEX) return checkOut(change.path, made.order);
  return putBack(file, made.copies.get(change.path), change.before);
}

function toLookText(after: string): string | null {
  return after === ABSENT ? null : after;
}

function isStill({ path, after }: TreeChange, order: RecordOrder): boolean {
  // As in the index: git found no difference, and finds out again when it writes.
  return after === AS_IN_INDEX || readVersion(path, order) === after;
}

/** The parent must be where its name says: an agent may have put a link there. */
function isInside(file: string, top: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    try {
      const real = decodeNames(realpathSync.native(encodeNames(folder), 'buffer'));
      return real === folder || real.startsWith(`${realpathSync(top)}/`) || real === realpathSync(top);
    } catch {
      if (folder === dirname(folder)) return false;
    }
  }
}

function removeFile(file: string): string | null {
  try {
    unlinkSync(encodeNames(file));
  } catch (error) {
    if (toErrorCode(error) !== 'ENOENT') throw error;
  }
  return null;
}

async function checkOut(path: string, { repository, lookFile }: RecordOrder): Promise<string | null> {
  const done = await repository.git(['checkout-index', '--force', '-z', '--stdin'], {
    indexFile: lookFile,
    input: `${path}\0`,
  });
  return done.ok ? null : done.problem;
}

function putBack(file: string, copy: string | undefined, before: string): string | null {
  if (copy === undefined) return 'it was too large to be kept before the turn';
  if (!before.startsWith('time ') && readFileVersion(copy, null, MAX_COPIED_BYTES) !== before)
    return 'the copy of it was changed meanwhile';
  mkdirSync(encodeNames(dirname(file)), { recursive: true });
  const draft = encodeNames(`${file}.ralph-restored`);
  removeFile(`${file}.ralph-restored`);
  const stats = lstatSync(copy);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(copy), draft);
  else {
    copyFileSync(copy, draft);
    chmodSync(draft, stats.mode & 0o777);
  }
  renameSync(draft, encodeNames(file));
  return null;
}

/** How the index looks from outside; empty where there is none. */
export function readIndexLook(gitDir: string): string {
  return toLook(join(gitDir, 'index')) ?? '';
}

/** Puts the index back as git itself writes it: nobody else writes while its lock is there. */
function restoreIndex({ after }: TreeChange, { repository, indexFile }: RecordOrder): string | null {
  const index = join(repository.gitDir, 'index');
  const lock = `${index}.lock`;
  if (readIndexLook(repository.gitDir) !== after) return 'it was changed again meanwhile, so it is left as it is';
  copyFileSync(indexFile, lock, constants.COPYFILE_EXCL);
  renameSync(lock, index);
  return null;
}

async function restoreRef({ path, before, after }: TreeChange, { git }: Repository): Promise<string | null> {
  const [was, is] = [before.split(' ')[0] ?? '', after.split(' ')[0] ?? ''];
  const line = before === ABSENT ? `delete ${path} ${is}\n` : `update ${path} ${was} ${after === ABSENT ? '' : is}`.trimEnd().concat('\n');
  const done = await git(['update-ref', '--no-deref', '--stdin'], { input: line });
  return done.ok ? null : done.problem;
}

/** Needs no git. Null when it was put back, else why not. */
function restoreGuarded({ path }: TreeChange, { order, before, after }: Restoration): string | null {
  const [was, is] = [before.guarded.get(path), after.guarded.get(path)];
  const file = (was ?? is)?.file;
  if (file === undefined) return 'it is not known where it was';
  if (isLock(path) && isGitAtWork(order.repository.top)) return "git is at work in this folder: the lock may be a person's";
  if (isWorktree(path)) return 'a working tree is left as it is: look at it, then `git worktree remove` or `git worktree repair`';
  if (was === undefined) {
    rmSync(file, { force: true });
    return null;
  }
  if (was.bytes === null) return 'what was there before was not kept';
  const draft = `${file}.ralph-restored`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, was.bytes, { mode: was.mode & 0o777 });
  chmodSync(draft, was.mode & 0o777);
  renameSync(draft, file);
  return null;
}
