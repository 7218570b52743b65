import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { tryOr } from '../../core/values/result.ts';
import { decodeNames, encodeNames } from '../../git/file-names.ts';
import { findReal } from '../../process/paths.ts';

/** Files of installed packages that changed in a time. */
export interface ChangedPackages {
  readonly count: number;
  /** Some of them, from the top of the workspace. */
  readonly first: readonly string[];
  /** Whether every file was looked at. */
  readonly isWhole: boolean;
}

interface PackageLook {
  /** Absolute. */
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly until: number;
  readonly maxFiles?: number;
  readonly maxMs?: number;
}

/** Where tools keep installed packages, out of git's sight. */
const PACKAGE_FOLDERS = ['node_modules', '.venv', 'venv'];
/** What tools write there while they run: caches. Of what begins with a dot directly in `node_modules` only these are programs and packages. */
const KEPT = new Set(['.bin', '.pnpm', '.store']);
const COMPILED = /(?:^|\/)__pycache__$|\.pyc$/;
const MAX_FILES = 150_000;
const MAX_MS = 500;
const MAX_NAMED = 20;
/** Folders of projects in a project that are looked into, and how deep: `packages/web/node_modules`. */
const MAX_PROJECTS = 400;
const MAX_DEPTH = 2;
/** So long before something else may happen in the process. */
const SLICE_MS = 20;

/**
 * Looks which installed packages changed, by the time that the system keeps of the last change of a file: no program can set it. Shallow files first, up to a number
 * of them and a time; links in them are not followed, the folder itself may be one. What was only removed, and what is elsewhere, is not seen. Never rejects.
 */
export async function listChangedPackages(look: PackageLook): Promise<ChangedPackages> {
  const { cwd, since, until, maxFiles = MAX_FILES, maxMs = MAX_MS } = look;
  const begun = performance.now();
  const waiting = findFolders(cwd).map((name) => ({
    path: toReal(join(cwd, name)),
    name,
  }));
  const first: string[] = [];
  let count = 0;
  let left = maxFiles;
  let paused = begun;
  // The list grows while it is walked.
  for (const folder of waiting) {
    if (performance.now() - begun > maxMs || left < 0) return { count, first, isWhole: false };
    if (performance.now() - paused > SLICE_MS) {
      await setImmediate();
      paused = performance.now();
    }
    for (const { name, isFolder } of listEntries(folder.path)) {
      if (isCache(folder.name, name)) continue;
      const inner = { path: `${folder.path}/${name}`, name: `${folder.name}/${name}` };
      if (isFolder) {
        waiting.push(inner);
        continue;
      }
      left -= 1;
      const changed = tryOr(() => lstatSync(encodeNames(inner.path)).ctimeMs, 0);
      if (changed <= since || changed > until) continue;
      count += 1;
      if (first.length < MAX_NAMED) first.push(inner.name);
    }
  }
  return { count, first, isWhole: true };
}

function isCache(folder: string, name: string): boolean {
  return COMPILED.test(name) || (isPackageFolder(folder) && name.startsWith('.') && !KEPT.has(name));
}

function isPackageFolder(folder: string): boolean {
  return folder === 'node_modules' || folder.endsWith('/node_modules');
}

/** The folders of packages in the workspace, and in the folders of projects in it. */
function findFolders(cwd: string): readonly string[] {
  const found: string[] = [];
  let folders = [''];
  let left = MAX_PROJECTS;
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const deeper: string[] = [];
    for (const folder of folders) {
      left -= 1;
      if (left < 0) return found;
      for (const { name, isFolder } of listEntries(join(cwd, folder))) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (PACKAGE_FOLDERS.includes(name)) found.push(path);
        else if (isFolder && !name.startsWith('.')) deeper.push(path);
      }
    }
    folders = deeper;
  }
  return found;
}

function toReal(path: string): string {
  return findReal(path) ?? path;
}

function listEntries(path: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  return tryOr(() => {
    const entries = readdirSync(encodeNames(path), { withFileTypes: true, encoding: 'buffer' });
    return entries.map((entry) => ({ name: decodeNames(entry.name), isFolder: entry.isDirectory() }));
  }, []);
}
