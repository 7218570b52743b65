import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { findNearMiss } from '../../core/text/near-miss.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import type { Jail } from '../tool/tool.ts';
import { explainFileError } from './check-path-text.ts';
import { isTameGlob } from './compile-glob.ts';
import { explainSwap, isStillAt, openPinned, toPinnedPath } from './open-pinned.ts';
import { isGitName } from './protected-names.ts';
import type { SearchBudget } from './search-budget.ts';

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

interface FolderContent {
  /** Sorted by code units. */
  readonly entries: readonly FolderEntry[];
  /** True when there are more than were read. */
  readonly isCut: boolean;
}

/**
 * The names in a folder that a jail has allowed. Links are told as links and never followed.
 *
 * @param real as the jail resolved it.
 */
export async function readFolder(real: string, shownPath: string, maxEntries: number): Promise<Result<FolderContent>> {
  const opened = await openPinned(real, 'folder', shownPath);
  if (!opened.ok) return opened;
  const handle = opened.value;
  try {
    const place = (await toPinnedPath(handle)) ?? real;
    const found: FolderEntry[] = [];
    for await (const entry of await opendir(place, { bufferSize: 256 })) {
      found.push({ name: entry.name, kind: await toKind(entry, place) });
      if (found.length > maxEntries) break;
    }
    if (!(await isStillAt(handle, real))) return refuse(explainSwap(shownPath));
    const entries = found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return accept({ entries: entries.slice(0, maxEntries), isCut: found.length > maxEntries });
  } catch (error) {
    return refuse(explainFileError(error, shownPath));
  } finally {
    await handle.close();
  }
}

async function toKind(entry: Dirent, folder: string): Promise<FolderEntry['kind']> {
  const isTold = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
  const kinds: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'> = isTold
    ? entry
    : await lstat(join(folder, entry.name)).catch(() => entry);
  if (kinds.isFile()) return 'file';
  if (kinds.isDirectory()) return 'folder';
  return kinds.isSymbolicLink() ? 'link' : 'other';
}

const MAX_NAMES = 2000;

/** A question with the name that was most likely meant instead of one that is not there; empty where nothing is near, and where it is there. */
export async function suggestPath(jail: Jail, real: string): Promise<string> {
  const folder = await jail.resolveRead(dirname(real));
  if (!folder.ok) return '';
  const content = await readFolder(folder.value, folder.value, MAX_NAMES);
  if (!content.ok) return '';
  const names = content.value.entries.map((entry) => entry.name);
  if (names.includes(basename(real))) return '';
  const near = findNearMiss(basename(real), names);
  return near === undefined ? '' : `Did you mean "${jail.toShown(join(folder.value, near))}"? `;
}

export interface WalkedFile {
  /** Absolute. */
  readonly real: string;
  /** Relative to the start, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'link';
}

export interface WalkOrder {
  /** Real path of a folder that may be read. */
  readonly start: string;
  /** Real path of the workspace: ignore rules hold from there on. */
  readonly workspace: string;
  /** True: ignored files and folders are walked as well. */
  readonly withIgnored: boolean;
  readonly budget: SearchBudget;
}

/** Never worth a search unless somebody asks for the folder itself. */
const DULL_FOLDERS = new Set(['.ralph', 'node_modules']);
const MAX_FOLDER_ENTRIES = 100_000;
const MAX_DEPTH = 64;

/**
 * The files of a folder and those below, folder by folder in the order of names. Follows no link, enters no repository's own folder, and ends when
 * the budget is spent. Folders that cannot be read are left out.
 */
export async function* walkFolder(order: WalkOrder): AsyncGenerator<WalkedFile> {
  const rules = await loadIgnoreRules(order.workspace, order.start);
  yield* walkBelow(order, order.start, '', rules, 0);
}

async function* walkBelow(order: WalkOrder, real: string, path: string, rules: IgnoreRules, depth: number): AsyncGenerator<WalkedFile> {
  const content = await readFolder(real, real, MAX_FOLDER_ENTRIES);
  if (!content.ok) return;
  for (const { name, kind } of content.value.entries) {
    if (!order.budget.spend()) return;
    const child = join(real, name);
    const isFolder = kind === 'folder';
    if (kind === 'other' || (isFolder && (isGitName(name) || depth >= MAX_DEPTH))) continue;
    if (!order.withIgnored && (isDull(name, isFolder) || rules.isIgnored(child, isFolder))) continue;
    const childPath = path === '' ? name : `${path}/${name}`;
    if (!isFolder) yield { real: child, path: childPath, kind: kind === 'link' ? 'link' : 'file' };
    else yield* walkBelow(order, child, childPath, await rules.enter(child), depth + 1);
  }
}

function isDull(name: string, isFolder: boolean): boolean {
  return isFolder && DULL_FOLDERS.has(name);
}

interface IgnoreRules {
  /** @param real absolute path below the folder. */
  readonly isIgnored: (real: string, isFolder: boolean) => boolean;
  /** The rules for a folder below: its own file counts before those above it. */
  readonly enter: (folder: string) => Promise<IgnoreRules>;
}

interface Layer {
  readonly base: string;
  readonly matcher: Ignore;
}

const MAX_RULE_BYTES = 256 * 1024;
const MAX_RULES = 5000;

/**
 * The rules that hold in `start`: of every `.gitignore` from the top down, and of `.git/info/exclude`. Where the start itself is ignored, the rules
 * above it say nothing: who asks for an ignored folder by name gets what is in it.
 *
 * @param top real path; `start` is it or below it.
 */
async function loadIgnoreRules(top: string, start: string): Promise<IgnoreRules> {
  const exclude = await readRules(join(top, '.git', 'info', 'exclude'), top);
  let rules = toRules(exclude === null ? [] : [exclude]);
  const way = relative(top, start).split(sep);
  const isBelow = way[0] !== '' && way[0] !== '..';
  const folders = isBelow ? way.map((_, index) => join(top, ...way.slice(0, index + 1))) : [];
  if (start === top || isBelow) rules = await rules.enter(top);
  for (const folder of folders) {
    if (rules.isIgnored(folder, true)) rules = toRules([]);
    rules = await rules.enter(folder);
  }
  return folders.length === 0 && start !== top ? await toRules([]).enter(start) : rules;
}

function toRules(layers: readonly Layer[]): IgnoreRules {
  return {
    isIgnored: (real, isFolder) => {
      let ignored = false;
      for (const { base, matcher } of layers) {
        const path = relative(base, real).split(sep).join('/') + (isFolder ? '/' : '');
        if (!ignore.isPathValid(path)) continue;
        const found = matcher.test(path);
        if (found.ignored) ignored = true;
        else if (found.unignored) ignored = false;
      }
      return ignored;
    },
    enter: async (folder) => {
      const layer = await readRules(join(folder, '.gitignore'), folder);
      return layer === null ? toRules(layers) : toRules([...layers, layer]);
    },
  };
}

async function readRules(path: string, base: string): Promise<Layer | null> {
  const opened = await openPinned(path, 'file', path);
  if (!opened.ok) return null;
  const handle = opened.value;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_RULE_BYTES), 0, MAX_RULE_BYTES, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/).slice(0, MAX_RULES);
    return { base, matcher: ignore().add(lines.filter(isTameGlob)) };
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}
