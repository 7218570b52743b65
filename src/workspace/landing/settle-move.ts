import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { toShellWord } from '../../core/text/shell-word.ts';
import { ABSENT, type Repository, type RepositorySettings } from '../../git/contract.ts';
import { decodeNames, encodeNames } from '../../git/file-names.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { isGitAtWork } from '../../git/git-activity.ts';
import { isSubmodule, listDifferences, readTree, type TreeDifference, toPathList } from '../../git/trees.ts';
import { removeTree } from '../../process/remove-tree.ts';
import { readStanding, removeEmptyFolders, removeFolders, storePresent } from '../snapshot/present-tree.ts';
import { type BranchMove, listTouched, openCheckout } from './move-branch.ts';

/**
 * Takes back what a move did that was killed in the middle, with the git that did it or without, so that it can begin anew: files that have the new content, hold the
 * beginning of it and nothing else, or are gone. Nothing is lost with them. Whatever holds anything else may be a person's, and stays.
 *
 * @param scratchDir absolute path of a folder for files of ours
 * @throws GitProblem, or the system error
 */
export async function settleMove(main: Repository, settings: RepositorySettings, move: BranchMove, scratchDir: string): Promise<void> {
  const tree = await openCheckout(main, settings, move.branch);
  if (tree === null) return;
  removeDeadLock(tree);
  const touched = new Set((await listTouched(tree, move)).map(({ path }) => path));
  const changed = (await listDifferences(tree.git, move.from, move.to)).filter(
    ({ path, left, right }) => touched.has(path) && !isSubmodule(left) && !isSubmodule(right),
  );
  if (changed.length > 0) await takeBack(tree, move, changed, scratchDir);
}

/** A git that is killed leaves its lock of the index, which would keep every other one out. */
function removeDeadLock({ gitDir, top }: Repository): void {
  const lock = join(gitDir, 'index.lock');
  if (!existsSync(lock)) return;
  if (isGitAtWork(top)) {
    const fix = `Wait for it. If none runs there, one was killed: rm ${toShellWord(lock)}`;
    throw new GitProblem(`another git is at work in ${top}`, fix);
  }
  rmSync(lock, { force: true });
}

async function takeBack(tree: Repository, { from, to }: BranchMove, changed: readonly TreeDifference[], scratchDir: string): Promise<void> {
  const { git, top } = tree;
  const index = { indexFile: join(scratchDir, 'land.index') };
  const whole = join(scratchDir, 'land.tree');
  const present = await storePresent(
    tree,
    from,
    changed.map(({ path }) => path),
    index,
  );
  const isOther = new Set((await listDifferences(git, present, to)).map(({ path }) => path));
  const isOurs = (path: string): boolean => !isOther.has(path) || isCutShort(top, path, join(whole, path));
  try {
    removeTree(whole);
    await readTree(git, index, to);
    const written = changed.filter(({ right }) => right !== ABSENT).map(({ path }) => path);
    await demandGit(git, ['checkout-index', `--prefix=${whole}/`, '-z', '--stdin'], { ...index, input: toPathList(written) });
    const come = changed.filter(({ path, left }) => left === ABSENT && isOurs(path));
    for (const { path } of come) remove(top, path);
    removeEmptyFolders(tree, come);
    const back = changed.filter(({ path, left }) => left !== ABSENT && isOurs(path) && isFree(top, path)).map(({ path }) => path);
    await readTree(git, index, from);
    await demandGit(git, ['checkout-index', '--force', '-z', '--stdin'], { ...index, input: toPathList(back) });
  } finally {
    removeTree(whole);
    rmSync(index.indexFile, { force: true });
  }
}

function remove(top: string, path: string): void {
  const standing = readStanding(top, path);
  if (standing === 'file') unlinkSync(encodeNames(join(top, path)));
  if (standing === 'folder') removeFolders(join(top, path));
}

/** Whether a file can be written there without removing anything but itself; folders with nothing in them go. */
function isFree(top: string, path: string): boolean {
  const standing = readStanding(top, path);
  if (standing === 'folder' && holdsNothing(join(top, path))) removeFolders(join(top, path));
  return standing === 'file' || readStanding(top, path) === 'nothing';
}

/** Whether nothing stands there, or the beginning of a file. */
function isCutShort(top: string, path: string, whole: string): boolean {
  const standing = readStanding(top, path);
  if (standing === 'folder') return holdsNothing(join(top, path));
  return standing === 'nothing' || (standing === 'file' && isBeginning(encodeNames(join(top, path)), encodeNames(whole)));
}

function holdsNothing(folder: string): boolean {
  const entries = readdirSync(encodeNames(folder), { withFileTypes: true, encoding: 'buffer' });
  return entries.every((entry) => entry.isDirectory() && holdsNothing(join(folder, decodeNames(entry.name))));
}

const CHUNK_BYTES = 1 << 20;

/** Whether a file is shorter than another one, and the same as far as it goes. */
function isBeginning(path: string | Buffer, whole: string | Buffer): boolean {
  const [stats, wholeStats] = [lstatSync(path), lstatSync(whole, { throwIfNoEntry: false })];
  if (!stats.isFile() || !wholeStats?.isFile() || stats.size >= wholeStats.size) return false;
  const [left, right] = [openSync(path, 'r'), openSync(whole, 'r')];
  try {
    const [one, two] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (;;) {
      const count = readSync(left, one);
      if (count === 0) return true;
      if (!one.subarray(0, count).equals(two.subarray(0, readFully(right, two, count)))) return false;
    }
  } finally {
    closeSync(left);
    closeSync(right);
  }
}

function readFully(handle: number, into: Buffer, count: number): number {
  let done = 0;
  for (let read = 1; read > 0 && done < count; done += read) read = readSync(handle, into, done, count - done, null);
  return done;
}
