import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { createPathMatcher } from './path-matcher.ts';

/** Files as they were at one moment, by path relative to the workspace. */
export type Pins = Readonly<Record<string, PinnedFile>>;

/** One of them. */
export interface PinnedFile {
  /** Of the content, what kind of file it is, and whether it may be executed. */
  readonly hash: string;
  /** Its text, for the difference; `null` for what is long or no text. */
  readonly text: string | null;
  /** What it is, in words: `a file`, `a symbolic link to TARGET`. Absent in pins of earlier versions. */
  readonly kind?: string;
}

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
  return Object.fromEntries(named.flatMap((path) => toEntry(cwd, path, budget)));
}

/** Whether globs name no file at all. False also where there are too many to tell. Nothing is read but folders. */
export async function namesNoFile(cwd: string, globs: readonly string[]): Promise<boolean> {
  const { matches, bases } = await createPathMatcher(globs);
  const budget = { entries: MAX_ENTRIES, textBytes: 0 };
  const paths = new Set<string>();
  for (const base of bases) collect(cwd, base, paths, budget);
  return budget.entries >= 0 && ![...paths].some(matches);
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
    const stats = tryTo(() => lstatSync(join(cwd, path as string)));
    if (stats === undefined) continue;
    if (!stats.isDirectory()) paths.add(path);
    else
      for (const name of tryTo(() => readdirSync(join(cwd, path as string))) ?? [])
        if (!FOREIGN_FOLDERS.includes(name)) waiting.push(path === '' ? name : `${path}/${name}`);
  }
}

function toEntry(cwd: string, path: string, budget: Budget): readonly (readonly [string, PinnedFile])[] {
  const file = tryTo(() => readPinned(join(cwd, path), budget));
  return [[path, file ?? { hash: 'unreadable', text: null }]];
}

function readPinned(path: string, budget: Budget): PinnedFile {
  const own = lstatSync(path);
  const link = own.isSymbolicLink() ? readlinkSync(path) : null;
  const stats = link === null ? own : tryTo(() => statSync(path));
  const hash = createHash('sha256').update(link === null ? 'file\0' : `link ${link}\0`);
  const kind = toKind(stats, link);
  if (stats === undefined || !stats.isFile())
    return { hash: hash.update(stats === undefined ? 'nothing' : 'no file').digest('hex'), text: null, kind };
  hash.update((stats.mode & 0o111) === 0 ? 'plain\0' : 'program\0');
  if (stats.size > MAX_HASHED_BYTES)
    return { hash: hash.update(`${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`).digest('hex'), text: null, kind };
  const bytes = readFileSync(path);
  return { hash: hash.update(bytes).digest('hex'), text: toText(bytes, budget), kind };
}

/** @param stats of what a link leads to; absent for nothing */
function toKind(stats: Stats | undefined, link: string | null): string {
  if (link !== null) return `a symbolic link to ${link.slice(0, MAX_SHOWN_LINK)}`;
  if (stats?.isFile() !== true) return 'no regular file';
  return (stats.mode & 0o111) === 0 ? 'a file' : 'an executable file';
}

function toText(bytes: Buffer, budget: Budget): string | null {
  if (bytes.length > Math.min(MAX_TEXT_BYTES, budget.textBytes) || bytes.includes(0)) return null;
  budget.textBytes -= bytes.length;
  return bytes.toString('utf8');
}

function tryTo<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
