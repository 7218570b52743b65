import { join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { isTameGlob } from './compile-glob.ts';
import { openPinned } from './open-pinned.ts';
import { isGitName } from './protected-names.ts';
import { readFolder } from './read-folder.ts';

/** A file that a walk came by. */
export interface WalkedFile {
  /** Absolute. */
  readonly real: string;
  /** Relative to the start, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'link';
}

/** Where and how to walk. */
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
const maxFolderEntries = 100_000;
const maxDepth = 64;

/**
 * The files of a folder and those below, folder by folder in the order of names. Follows no link, enters no repository's own folder, and ends when
 * the budget is spent. Folders that cannot be read are left out.
 */
export async function* walkFiles(order: WalkOrder): AsyncGenerator<WalkedFile> {
  const rules = await loadIgnoreRules(order.workspace, order.start);
  yield* walkFolder(order, order.start, '', rules, 0);
}

async function* walkFolder(order: WalkOrder, real: string, path: string, rules: IgnoreRules, depth: number): AsyncGenerator<WalkedFile> {
  const content = await readFolder(real, real, maxFolderEntries);
  if ('refused' in content) return;
  for (const { name, kind } of content.entries) {
    if (!order.budget.spend()) return;
    const child = join(real, name);
    const isFolder = kind === 'folder';
    if (kind === 'other' || (isFolder && (isGitName(name) || depth >= maxDepth))) continue;
    if (!order.withIgnored && (isDull(name, isFolder) || rules.isIgnored(child, isFolder))) continue;
    const childPath = path === '' ? name : `${path}/${name}`;
    if (!isFolder) yield { real: child, path: childPath, kind: kind === 'link' ? 'link' : 'file' };
    else yield* walkFolder(order, child, childPath, await rules.enter(child), depth + 1);
  }
}

function isDull(name: string, isFolder: boolean): boolean {
  return isFolder && DULL_FOLDERS.has(name);
}

/** The rules of `.gitignore` files as they hold in one folder. */
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

const maxRuleBytes = 256 * 1024;
const maxRules = 5000;

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
        const verdict = matcher.test(path);
        if (verdict.ignored) ignored = true;
        else if (verdict.unignored) ignored = false;
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
  const handle = await openPinned(path, 'file', path);
  if ('refused' in handle) return null;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxRuleBytes), 0, maxRuleBytes, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/).slice(0, maxRules);
    return { base, matcher: ignore().add(lines.filter(isTameGlob)) };
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

/** What a search over many files may still spend. */
export interface SearchBudget {
  /** Takes one entry. False: stop, and see `stopped`. */
  readonly spend: () => boolean;
  /** Why the search has to stop; `null` while it need not. */
  readonly stopped: () => 'entries' | 'time' | 'aborted' | null;
}

/** Limits of a search. */
export interface SearchLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

export const SEARCH_LIMITS: SearchLimits = { maxEntries: 200_000, maxMs: 20_000 };

/** A budget that begins now. */
export function createSearchBudget(limits: SearchLimits, signal: AbortSignal, now: () => number = () => performance.now()): SearchBudget {
  const startMs = now();
  let entries = 0;
  const stopped: SearchBudget['stopped'] = () => {
    if (signal.aborted) return 'aborted';
    if (entries > limits.maxEntries) return 'entries';
    return now() - startMs > limits.maxMs ? 'time' : null;
  };
  return {
    spend: () => {
      entries += 1;
      return stopped() === null;
    },
    stopped,
  };
}

/** The sentence about a search that did not see everything; empty where it did. */
export function describeStop(budget: SearchBudget, { maxEntries, maxMs }: SearchLimits): string {
  const advice = 'The result is not complete: search in a smaller folder or with a narrower pattern.';
  switch (budget.stopped()) {
    case 'aborted':
      return '[Stopped: the turn was ended.]';
    case 'entries':
      return `[Stopped after ${maxEntries} files and folders. ${advice}]`;
    case 'time':
      return `[Stopped after ${Math.round(maxMs / 1000)} s. ${advice}]`;
    case null:
      return '';
  }
}
