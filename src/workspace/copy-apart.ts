import { constants, copyFileSync, lstatSync, lutimesSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { hashFileAt } from './create-tree-reader.ts';
import { findRepository, type Repository } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';
import { type PlaceOwner, removePlace, toPlaceApart } from './place-apart.ts';
import { readStanding } from './present-tree.ts';
import { readStatus } from './read-status.ts';

/** What is copied, and which of its files are to be as they were at the start. */
export interface CopyOrder extends PlaceOwner {
  /** The folder that the agents work in; `cwd` or a folder of a worktree. */
  readonly workspace: string;
  /** Its files, relative to it: all that git tracks or does not know. */
  readonly paths: readonly string[];
  /** Folders that are linked and not copied, wherever a folder of that name is ignored. */
  readonly links: readonly string[];
  /** Absent: everything is as it is now. */
  readonly start?: StartFiles;
  readonly signal: AbortSignal;
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
 * Copies a folder into a worktree of its own at the same commit, has it used, and removes it, whatever happens. What git ignores comes along: packages as a link, the
 * rest as a copy where it is small. One that was left by a kill is removed before.
 *
 * @throws GitProblem, or the system error, where it cannot be made
 */
export async function useCopy<T>(order: CopyOrder, use: (cwd: string) => Promise<T>): Promise<T> {
  const [root, work] = await Promise.all([findRepository(order), findRepository({ ...order, cwd: order.workspace })]);
  if (!root.found) throw new GitProblem(root.why);
  if (!work.found) throw new GitProblem(work.why);
  const [main, source] = [root.repository, work.repository];
  const { path } = toPlaceApart(order, 'tests');
  await removePlace(main, path, []);
  try {
    const head = await source.git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (!head.ok) throw new GitProblem('there is no commit yet');
    mkdirSync(dirname(path), { recursive: true });
    await demandGit(main.git, ['worktree', 'add', '--quiet', '--detach', '--no-checkout', path, head.stdout.trim()]);
    const found = await findRepository({ ...order, cwd: path });
    if (!found.found || found.repository.top !== path) throw new GitProblem(found.found ? `${path} is no worktree` : found.why);
    const cwd = resolve(path, source.prefix);
    mkdirSync(cwd, { recursive: true });
    await copyWork(order, source, path);
    await bringIgnored(order, source, path);
    if (order.start !== undefined) await bringStart(found.repository, source.prefix, order.start);
    await demandGit(found.repository.git, ['read-tree', 'HEAD']);
    return await use(cwd);
  } finally {
    await removePlace(main, path, []);
  }
}

/** So many files in a row before something else may happen in the process. */
const SLICE = 500;
const MAX_COPIED_BYTES = 2 * 2 ** 30;

/** What lies behind a link is not the work's; the link itself is copied as it is. */
async function copyWork({ paths, signal }: CopyOrder, source: Repository, top: string): Promise<void> {
  let left = MAX_COPIED_BYTES;
  for (const [index, path] of paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((done) => setImmediate(done));
    if (signal.aborted) throw new GitProblem('it was stopped');
    const name = posix.normalize(`${source.prefix}${path}`);
    if (readStanding(source.top, name) !== 'file' || readStanding(top, name) !== 'nothing') continue;
    left -= copyOne(join(source.top, name), join(top, name));
    if (left < 0) throw new GitProblem('the folder is too large to be copied');
  }
}

/** With its times: what was built of it is not older. Its size; 0 for what is no file. */
function copyOne(from: string, to: string): number {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return 0;
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to, constants.COPYFILE_FICLONE);
  lutimesSync(to, stats.atime, stats.mtime);
  return stats.isFile() ? stats.size : 0;
}

/** What package managers install: it is read, and far too much to be copied. */
const INSTALLED = ['node_modules', '.venv', 'venv', 'vendor', '.bundle', 'deps', 'bower_components', '.pnpm-store', '.yarn'];
const MAX_IGNORED_BYTES = 256 << 20;
const MAX_IGNORED_FILES = 20_000;

/** What gates may need and git does not know. What is too large stays out. */
async function bringIgnored({ links, signal }: CopyOrder, source: Repository, top: string): Promise<void> {
  const { entries } = await readStatus(source, { withIgnored: true });
  const names = new Set([...INSTALLED, ...links.map((link) => basename(link))]);
  const room = { bytes: MAX_IGNORED_BYTES, files: MAX_IGNORED_FILES };
  for (const { path: shown, kind } of entries) {
    if (kind !== 'ignored' || signal.aborted) continue;
    const path = shown.replace(/\/$/, '');
    const [from, to] = [join(source.top, path), join(top, path)];
    // Copied already with a repository of its own, or behind a link.
    if (readStanding(top, path) !== 'nothing') continue;
    if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() && names.has(basename(path))) {
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(from, to);
    } else await copyWithin(from, to, room);
  }
}

interface Room {
  bytes: number;
  files: number;
}

/** Copies a file or a folder if there is room for all of it. */
async function copyWithin(from: string, to: string, room: Room): Promise<void> {
  const files = listFiles(from, room);
  if (files === null) return;
  room.bytes -= files.bytes;
  room.files -= files.paths.length;
  for (const [index, path] of files.paths.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((done) => setImmediate(done));
    copyOne(join(from, path), join(to, path));
  }
}

/** Null where it is more than there is room for. */
function listFiles(top: string, room: Room): { readonly paths: readonly string[]; readonly bytes: number } | null {
  const paths: string[] = [];
  let bytes = 0;
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stats = lstatSync(join(top, path), { throwIfNoEntry: false });
    if (stats?.isDirectory()) waiting.push(...readdirSync(join(top, path)).map((name) => posix.join(path, name)));
    else if (stats?.isFile() || stats?.isSymbolicLink()) {
      paths.push(path);
      bytes += stats.size;
    }
    if (bytes > room.bytes || paths.length + waiting.length > room.files) return null;
  }
  return { paths, bytes };
}

/** Puts files of the start in the place of what became of them. Git takes away a link on the way to one of them, and follows none. */
async function bringStart({ git, top }: Repository, prefix: string, { tree, restored, added }: StartFiles): Promise<void> {
  const toTop = (path: string): string => posix.normalize(`${prefix}${path}`);
  const toInput = (paths: readonly string[]): string => paths.map((path) => `${toTop(path)}\0`).join('');
  await demandGit(git, ['read-tree', tree]);
  const renamed = await findRenamed(git, tree, { gone: [...restored.keys()].map(toTop), added: added.map(toTop) });
  for (const path of renamed) if (readStanding(top, path) === 'file') rmSync(join(top, path));
  await demandGit(git, ['read-tree', tree]);
  await demandGit(git, ['checkout-index', '--force', '-z', '--stdin'], { input: toInput([...restored.keys()]) });
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
  const input = [...gone, ...added].map((path) => `${path}\0`).join('');
  await demandGit(git, ['update-index', '--add', '--remove', '-z', '--stdin'], { input });
  const shown = await demandGit(git, ['diff-index', '--cached', '-M', '-l1000', '-z', '--name-status', '--diff-filter=R', tree]);
  const words = shown.split('\0');
  return words.flatMap((word, index) => (/^R\d+$/.test(word) ? [words[index + 2] ?? ''] : [])).filter((path) => added.includes(path));
}
