import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { tryOr } from '../core/values/result.ts';
import { createPathMatcher } from './path-matcher.ts';

/** Files as they were at one moment, by path relative to the workspace. */
export type Pins = Readonly<Record<string, PinnedFile>>;

export interface PinnedFile {
  /** Of the content, what kind of file it is, whether it may be executed, and whether it lies outside of the workspace. */
  readonly hash: string;
  /** Its text, for the difference; `null` for what is long, no text, or outside of the workspace: links may lead where agents cannot read, and Ralph can. */
  readonly text: string | null;
  /** What it is, in words: `a file`, `a symbolic link to TARGET`. Absent in pins of earlier versions. */
  readonly kind?: string;
  /** The link above it that leads out of the workspace, in words. */
  readonly behind?: string;
}

const { O_NONBLOCK, O_RDONLY } = constants;
const MAX_ENTRIES = 50_000;
const MAX_PINNED = 5000;
const MAX_TEXT_BYTES = 64 << 10;
const MAX_ALL_TEXTS_BYTES = 4 << 20;
const MAX_HASHED_BYTES = 64 << 20;
const MAX_SHOWN_LINK = 200;
const FOREIGN_FOLDERS = ['node_modules', '.git'];

/**
 * Looks at the files that globs name. Symbolic links are told by their target and by what it holds now, and are not followed into folders.
 * `node_modules` and `.git` are passed over unless a glob begins in them.
 *
 * @returns `null` when there are too many to look at.
 */
export async function pinFiles(cwd: string, globs: readonly string[]): Promise<Pins | null> {
  const { matches, bases } = await createPathMatcher(globs);
  const budget = { entries: MAX_ENTRIES, textBytes: MAX_ALL_TEXTS_BYTES };
  const paths = new Set<string>();
  for (const base of bases) collect(cwd, base, paths, budget);
  if (budget.entries < 0) return null;
  const named = [...paths].filter(matches).sort();
  if (named.length > MAX_PINNED) return null;
  const root = { cwd, real: tryOr(() => realpathSync.native(cwd), cwd) };
  return Object.fromEntries(named.flatMap((path) => toEntry(root, path, budget)));
}

/** Whether globs name no file at all. False also where there are too many to tell. Nothing is read but folders. */
export async function namesNoFile(cwd: string, globs: readonly string[]): Promise<boolean> {
  const { matches, bases } = await createPathMatcher(globs);
  const budget = { entries: MAX_ENTRIES, textBytes: 0 };
  const paths = new Set<string>();
  for (const base of bases) collect(cwd, base, paths, budget);
  return budget.entries >= 0 && ![...paths].some(matches);
}

/** The workspace. */
interface Root {
  readonly cwd: string;
  /** Its path without links. */
  readonly real: string;
}

interface Budget {
  entries: number;
  textBytes: number;
}

function collect(cwd: string, base: string, paths: Set<string>, budget: Budget): void {
  if (base.startsWith('/') || base.split('/').includes('..')) return;
  const waiting = [base];
  for (let path = waiting.pop(); path !== undefined && budget.entries >= 0; path = waiting.pop()) {
    budget.entries -= 1;
    const stats = tryOr(() => lstatSync(join(cwd, path as string)), undefined);
    if (stats === undefined) continue;
    if (!stats.isDirectory()) paths.add(path);
    else
      for (const name of tryOr(() => readdirSync(join(cwd, path as string)), []))
        if (!FOREIGN_FOLDERS.includes(name)) waiting.push(path === '' ? name : `${path}/${name}`);
  }
}

function toEntry(root: Root, path: string, budget: Budget): readonly (readonly [string, PinnedFile])[] {
  const behind = findLeadingOut(root, path);
  const file = tryOr(() => readPinned(root, join(root.cwd, path), behind, budget), { hash: 'unreadable', text: null });
  return [[path, behind === null ? file : { ...file, behind }]];
}

function readPinned(root: Root, path: string, behind: string | null, budget: Budget): PinnedFile {
  const own = lstatSync(path);
  const link = own.isSymbolicLink() ? readlinkSync(path) : null;
  const stats = link === null ? own : tryOr(() => statSync(path), undefined);
  const hash = createHash('sha256').update(link === null ? 'file\0' : `link ${link}\0`);
  const kind = behind === null ? toKind(stats, link) : `${toKind(stats, link)} behind ${behind}`;
  if (stats === undefined || !stats.isFile())
    return { hash: hash.update(stats === undefined ? 'nothing' : 'no file').digest('hex'), text: null, kind };
  const handle = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    return { ...readContent(handle, hash, isInside(root, handle, path), budget), kind };
  } finally {
    closeSync(handle);
  }
}

function readContent(handle: number, hash: Hash, isShown: boolean, budget: Budget): Pick<PinnedFile, 'hash' | 'text'> {
  const stats = fstatSync(handle);
  if (!stats.isFile()) return { hash: hash.update('no file').digest('hex'), text: null };
  if (!isShown) hash.update('outside\0');
  hash.update((stats.mode & 0o111) === 0 ? 'plain\0' : 'program\0');
  if (stats.size > MAX_HASHED_BYTES)
    return { hash: hash.update(`${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`).digest('hex'), text: null };
  const bytes = readFileSync(handle);
  return { hash: hash.update(bytes).digest('hex'), text: isShown ? toText(bytes, budget) : null };
}

/** Whether an open file lies in the workspace. Its handle is asked: a path may lead elsewhere by now. */
function isInside({ real }: Root, handle: number, path: string): boolean {
  const place = tryOr(() => readlinkSync(`/proc/self/fd/${handle}`), undefined);
  if (place !== undefined) return isBelow(real, place);
  const now = realpathSync.native(path);
  const [found, there] = [fstatSync(handle), lstatSync(now)];
  return isBelow(real, now) && found.dev === there.dev && found.ino === there.ino && realpathSync.native(now) === now;
}

/** The link above a path that leads out of the workspace, in words; null for none. */
function findLeadingOut({ cwd, real }: Root, path: string): string | null {
  const names = path.split('/');
  for (let count = 1; count < names.length; count += 1) {
    const folder = names.slice(0, count).join('/');
    const link = tryOr(() => readlinkSync(join(cwd, folder)), undefined);
    if (link === undefined) continue;
    const place = tryOr(() => realpathSync.native(join(cwd, folder)), undefined);
    if (place === undefined || !isBelow(real, place)) return `${folder}, ${toLinkText(link)}`;
  }
  return null;
}

function isBelow(root: string, path: string): boolean {
  const rest = relative(root, path);
  return rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
}

/** @param stats of what a link leads to; absent for nothing */
function toKind(stats: Stats | undefined, link: string | null): string {
  if (link !== null) return toLinkText(link);
  if (stats?.isFile() !== true) return 'no regular file';
  return (stats.mode & 0o111) === 0 ? 'a file' : 'an executable file';
}

function toLinkText(link: string): string {
  return `a symbolic link to ${link.slice(0, MAX_SHOWN_LINK)}`;
}

function toText(bytes: Buffer, budget: Budget): string | null {
  if (bytes.length > Math.min(MAX_TEXT_BYTES, budget.textBytes) || bytes.includes(0)) return null;
  budget.textBytes -= bytes.length;
  return bytes.toString('utf8');
}
