import { lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { isWithin } from '../../core/text/is-within.ts';
import type { Repository } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { readCommit } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { toPathList } from '../../git/trees.ts';
import { hashFileAt } from '../snapshot/create-tree-reader.ts';
import { readStanding } from '../snapshot/present-tree.ts';
import { type CopiedFolder, type CopyBudget, type CopyTops, copyFolder, copyOne } from './copy-folder.ts';
import { addPlace, type PlaceOwner, removePlace, toPlaceApart } from './place-apart.ts';

/** What is copied, and which of its files are to be as they were at the start. */
export interface CopyOrder extends PlaceOwner {
  /** The folder that the agents work in; `cwd` or a folder of a worktree. */
  readonly workspace: string;
  /** Its files, relative to it: all that git tracks or does not know. */
  readonly paths: readonly string[];
  /** Folders that hold packages, by their last name, wherever a folder of that name is ignored. */
  readonly links: readonly string[];
  /** Absent: everything is as it is now. */
  readonly start?: StartFiles;
  readonly signal: AbortSignal;
}

/** What came along of what git ignores. */
export interface Brought {
  /** Paths from the top of what is missing: it cannot be read, or is too large. */
  readonly leftOut: readonly string[];
  /** Where the packages really are that were copied. */
  readonly packages: readonly string[];
}

/** Files of the start, paths relative to the workspace. */
export interface StartFiles {
  /** The tree in which they are. */
  readonly tree: string;
  /** By path what a tree reader said of each of them then. */
  readonly restored: ReadonlyMap<string, string>;
  /** Files that came since: where one of them is what became of a file of the start, it goes. */
  readonly added: readonly string[];
}

/**
 * Copies a folder into a worktree of its own at the same commit, has it used, and removes it, whatever happens. What git ignores comes along,
 * copied: a gate that installs or removes packages there must not reach the person's. One that was left by a kill is removed before.
 *
 * @throws GitProblem, or the system error, where it cannot be made
 */
export async function useCopy<T>(order: CopyOrder, use: (cwd: string, brought: Brought) => Promise<T>): Promise<T> {
  const [root, work] = await Promise.all([findRepository(order), findRepository({ ...order, cwd: order.workspace })]);
  if (!root.ok) throw new GitProblem(root.refused);
  if (!work.ok) throw new GitProblem(work.refused);
  const [main, source] = [root.value, work.value];
  const { path } = toPlaceApart(order, 'tests');
  await removePlace(main, path, []);
  try {
    const head = await readCommit(source.git, 'HEAD');
    if (head === null) throw new GitProblem('there is no commit yet');
    const place = await addPlace(main, { ...order, cwd: path }, head, ['--no-checkout']);
    const cwd = resolve(path, source.prefix);
    mkdirSync(cwd, { recursive: true });
    const tops = { from: source.top, to: path };
    const brought = await bringIgnored(order, source, tops, await copyWork(order, tops, source.prefix));
    if (order.start !== undefined) await bringStart(place, source.prefix, order.start);
    await demandGit(place.git, ['read-tree', 'HEAD']);
    return await use(cwd, brought);
  } finally {
    await removePlace(main, path, []);
  }
}

/** So many files in a row before something else may happen in the process. */
const SLICE = 500;
const MAX_COPIED_BYTES = 2 * 2 ** 30;
const NO_ROOM = 'the folder is too large to be copied';

/** What lies behind a link is not the work's; the link itself is copied. The links to packages, which are not copied yet. */
async function copyWork(order: CopyOrder, tops: CopyTops, prefix: string): Promise<readonly string[]> {
  const { paths, signal } = order;
  const links: string[] = [];
  let left = MAX_COPIED_BYTES;
  for (const [index, path] of paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((done) => setImmediate(done));
    if (signal.aborted) throw new GitProblem('it was stopped');
    const name = posix.normalize(`${prefix}${path}`);
    if (readStanding(tops.from, name) !== 'file' || readStanding(tops.to, name) !== 'nothing') continue;
    const stats = lstatSync(join(tops.from, name), { throwIfNoEntry: false });
    if (!(stats?.isFile() || stats?.isSymbolicLink())) continue;
    if (stats.isSymbolicLink() && findPackages(order, tops.from, name) !== null) {
      links.push(name);
      continue;
    }
    left -= stats.isFile() ? stats.size : 0;
    if (left < 0) throw new GitProblem(NO_ROOM);
    copyOne(tops, name, stats);
  }
  return links;
}

/** What package managers install. */
const INSTALLED = ['node_modules', '.venv', 'venv', 'vendor', '.bundle', 'deps', 'bower_components', '.pnpm-store', '.yarn'];
const MAX_IGNORED_BYTES = 256 << 20;
const MAX_IGNORED_FILES = 20_000;
const MAX_PACKAGES_BYTES = 2 * 2 ** 30;
const MAX_PACKAGES_FILES = 200_000;
const MAX_COPY_MS = 60_000;

/** What gates may need and git does not know. Without the packages nothing can be tried; what else is too large stays out. */
async function bringIgnored(order: CopyOrder, source: Repository, tops: CopyTops, links: readonly string[]): Promise<Brought> {
  const { entries } = await readStatus(source, { withIgnored: true });
  const ignored = entries.flatMap(({ path, kind }) => (kind === 'ignored' ? [path.replace(/\/$/, '')] : []));
  const endsAtMs = performance.now() + MAX_COPY_MS;
  const rest: CopyBudget = { bytes: MAX_IGNORED_BYTES, files: MAX_IGNORED_FILES, endsAtMs };
  const room: CopyBudget = { bytes: MAX_PACKAGES_BYTES, files: MAX_PACKAGES_FILES, endsAtMs };
  const [leftOut, packages]: [string[], string[]] = [[], []];
  for (const path of new Set([...ignored, ...links])) {
    // Copied already with a repository of its own, or behind a link.
    if (readStanding(tops.to, path) !== 'nothing') continue;
    const real = findPackages(order, tops.from, path);
    if (real !== null) packages.push(real);
    const copied =
      real === null ? await copyFolder(tops, path, rest, order.signal) : await copyPackages(tops, path, real, room, order.signal);
    if (!copied.fits && real !== null) throw new GitProblem(`${path} is too large to be copied`);
    leftOut.push(...(copied.fits ? copied.leftOut : [path]));
  }
  return { leftOut, packages };
}

/** Packages that a link of the work leads to are copied as well: what writes through a link writes in the person's folder. */
function copyPackages(tops: CopyTops, path: string, real: string, room: CopyBudget, signal: AbortSignal): Promise<CopiedFolder> {
  if (real === join(tops.from, path)) return copyFolder(tops, path, room, signal);
  if (basename(real) !== basename(path)) throw new GitProblem(`${path} is a link to a folder of another name`);
  return copyFolder({ from: dirname(real), to: dirname(join(tops.to, path)) }, basename(path), room, signal);
}

/** The folder, without links, in which the packages are that stand at a path; null for anything else. */
function findPackages({ links }: CopyOrder, top: string, path: string): string | null {
  const name = basename(path);
  if (!INSTALLED.includes(name) && !links.some((link) => basename(link) === name)) return null;
  const place = join(top, path);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return null;
  const real = realpathSync(place);
  // A link that stays in the work leads into the copy there.
  return lstatSync(place).isSymbolicLink() && isWithin(real, top) ? null : real;
}

/** Puts files of the start in the place of what became of them. Git takes away a link on the way to one of them, and follows none. */
async function bringStart({ git, top }: Repository, prefix: string, { tree, restored, added }: StartFiles): Promise<void> {
  const toTop = (path: string): string => posix.normalize(`${prefix}${path}`);
  await demandGit(git, ['read-tree', tree]);
  const renamed = await findRenamed(git, tree, { gone: [...restored.keys()].map(toTop), added: added.map(toTop) });
  for (const path of renamed) if (readStanding(top, path) === 'file') rmSync(join(top, path));
  await demandGit(git, ['read-tree', tree]);
  await demandGit(git, ['checkout-index', '--force', '-z', '--stdin'], { input: toPathList([...restored.keys()].map(toTop)) });
  for (const [path, hash] of restored) {
    if (hashFileAt(join(top, toTop(path))) !== hash) throw new GitProblem(`what ${path} said at the start is not known any more`);
  }
}

interface Moves {
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

/** The files that came and are what others, which are gone, were. */
async function findRenamed(git: Repository['git'], tree: string, { gone, added }: Moves): Promise<readonly string[]> {
  if (gone.length === 0 || added.length === 0) return [];
  const input = toPathList([...gone, ...added]);
  await demandGit(git, ['update-index', '--add', '--remove', '-z', '--stdin'], { input });
  const shown = await demandGit(git, ['diff-index', '--cached', '-M', '-l1000', '-z', '--name-status', '--diff-filter=R', tree]);
  const words = shown.split('\0');
  return words.flatMap((word, index) => (/^R\d+$/.test(word) ? [words[index + 2] ?? ''] : [])).filter((path) => added.includes(path));
}
