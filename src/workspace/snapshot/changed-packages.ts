import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { decodeNames, encodeNames } from '../../git/index.ts';
import { findReal } from '../../process/index.ts';

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
const FOLDERS = ['node_modules', '.venv', 'venv'];
/** What tools write there while they run: caches. Of what begins with a dot directly in `node_modules` only these are programs and packages. */
const KEPT = new Set(['.bin', '.pnpm', '.store']);
const COMPILED = /(?:^|\/)__pycache__$|\.pyc$/;
const MAX = { files: 150_000, ms: 500, first: 20, folders: 400, sliceMs: 20 };
/** Projects in a project: `packages/web/node_modules`. */
const DEPTH = 2;

/**
 * Looks which installed packages changed, by the time that the system keeps of the last change of a file: no program can set it. Shallow files first, up to a number
 * of them and a time; links in them are not followed, the folder itself may be one. What was only removed, and what is elsewhere, is not seen. Never rejects.
 */
export async function listChangedPackages(look: PackageLook): Promise<ChangedPackages> {
  const { cwd, since, until, maxFiles = MAX.files, maxMs = MAX.ms } = look;
  const begun = performance.now();
  const waiting: { readonly path: string; readonly name: string }[] = findFolders(cwd).map((name) => ({
    path: findReal(join(cwd, name)) ?? join(cwd, name),
    name,
  }));
  const first: string[] = [];
  let [count, left, paused] = [0, maxFiles, begun];
  for (let index = 0; index < waiting.length; index += 1) {
    const { path, name: folder } = waiting[index] as (typeof waiting)[number];
    if (performance.now() - begun > maxMs || left < 0) return { count, first, isWhole: false };
    if (performance.now() - paused > MAX.sliceMs) {
      await setImmediate();
      paused = performance.now();
    }
    for (const entry of list(path)) {
      const name = decodeNames(entry.name as unknown as Buffer);
      if (COMPILED.test(name) || (isPackageFolder(folder) && name.startsWith('.') && !KEPT.has(name))) continue;
      const inner = { path: `${path}/${name}`, name: `${folder}/${name}` };
      if (entry.isDirectory()) waiting.push(inner);
      else {
        left -= 1;
        const changed = toChangeTime(inner.path);
        if (changed <= since || changed > until) continue;
        count += 1;
        if (first.length < MAX.first) first.push(inner.name);
      }
    }
  }
  return { count, first, isWhole: true };
}

function isPackageFolder(folder: string): boolean {
  return folder === 'node_modules' || folder.endsWith('/node_modules');
}

/** The folders of packages in the workspace, and in the folders of projects in it. */
function findFolders(cwd: string): readonly string[] {
  const found: string[] = [];
  let folders = [''];
  let left = MAX.folders;
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    const deeper: string[] = [];
    for (const folder of folders) {
      left -= 1;
      if (left < 0) return found;
      for (const entry of list(join(cwd, folder))) {
        const name = decodeNames(entry.name as unknown as Buffer);
        const path = folder === '' ? name : `${folder}/${name}`;
        if (FOLDERS.includes(name)) found.push(path);
        else if (entry.isDirectory() && !name.startsWith('.')) deeper.push(path);
      }
    }
    folders = deeper;
  }
  return found;
}

function list(path: string): readonly Dirent[] {
  try {
    return readdirSync(encodeNames(path), { withFileTypes: true, encoding: 'buffer' }) as unknown as readonly Dirent[];
  } catch {
    return [];
  }
}

/** Epoch milliseconds; 0 where there is no file. */
function toChangeTime(path: string): number {
  try {
    return lstatSync(encodeNames(path)).ctimeMs;
  } catch {
    return 0;
  }
}
