import { join } from 'node:path';
import { type IgnoreRules, loadIgnoreRules } from './ignore-rules.ts';
import { isGitName } from './protected-names.ts';
import { readFolder } from './read-folder.ts';
import type { SearchBudget } from './search-budget.ts';

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
