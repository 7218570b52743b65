import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { USUAL_SCRATCH } from '../core/project/scratch-folders.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import { isThere } from '../process/paths.ts';
import type { FolderFacts, ScratchFolders } from './turn-sandbox.ts';

/** A walk for patterns ends after so many folders: what is not found then is not writable, and tests that need it say so. */
const MAX_FOLDERS = 5000;
const MAX_DEPTH = 6;
const PASSED_OVER = new Set(['.git', 'node_modules', '.ralph', '.agent', '.venv', 'venv', '.hg']);

/**
 * Finds the folders that scratch patterns mean in a workspace, and makes those that a build will want: all that the user names plainly, and the usual
 * ones where their kind of project is, or where git is told to ignore them. A symbolic link is never scratch (it may lead anywhere), nor is a folder that holds
 * tracked files: those are somebody's work.
 *
 * @param more globs relative to the workspace, beside the usual ones
 */
export async function openScratch(
  workspace: string,
  more: readonly string[],
  { listTracked, listIgnored }: FolderFacts,
): Promise<ScratchFolders> {
  const globs = [...USUAL_SCRATCH.map(({ glob }) => glob), ...more];
  const plain = [...globs.filter((glob) => !isPattern(glob)).map(clean), ...nameFolders(workspace, more.filter(isPattern).map(clean))];
  const patterns = globs.filter(isPattern).map(clean);
  const found = [...plain.filter((path) => isPlainFolder(workspace, path)), ...findFolders(workspace, patterns)];
  const free = [...new Set(plain.filter((path) => isFree(workspace, path)))];
  const isSure = (path: string): boolean => isWanted(workspace, path);
  // An empty folder that has the name of a target would make `make` believe that it is built.
  const open = hasMakefile(workspace) ? [] : free.filter((path) => !isSure(path));
  const [held, ignored] = await Promise.all([listTracked([...new Set(found), ...free]), listIgnored(open)]);
  const tracked = new Set(held);
  const wanted = [...free.filter(isSure), ...ignored].filter((path) => !tracked.has(path));
  const made = wanted.filter((path) => makeFolder(workspace, path));
  return { folders: [...new Set([...found.filter((path) => !tracked.has(path)), ...made])].sort(), made };
}

/** Removes the folders that were made and stayed empty. */
export function closeScratch(workspace: string, { made }: ScratchFolders): void {
  for (const path of made) {
    // It is in use now.
    quietly(() => rmdirSync(join(workspace, path)));
  }
}

function isPattern(glob: string): boolean {
  return /[*?[\]{}!]/.test(glob);
}

/** `packages/*` + `/dist`: what such a pattern names beside folders that are there, one for each package. Not behind `**`: that would be everywhere. */
function nameFolders(workspace: string, patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => {
    const [parent, name] = [dirname(pattern), basename(pattern)];
    if (parent === '.' || isPattern(name) || parent.includes('**')) return [];
    return findFolders(workspace, [parent]).map((folder) => `${folder}/${name}`);
  });
}

function clean(glob: string): string {
  return glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

/** A folder whose every part is one: no symbolic link on the way to it. */
function isPlainFolder(workspace: string, path: string): boolean {
  const parts = path.split('/');
  if (path === '' || parts.includes('..')) return false;
  return parts.every((_, index) => isFolder(join(workspace, ...parts.slice(0, index + 1))));
}

function isFolder(path: string): boolean {
  return tryOr(() => lstatSync(path).isDirectory(), false);
}

function isFree(workspace: string, path: string): boolean {
  const parts = path.split('/');
  if (path === '' || parts.includes('..')) return false;
  const parent = parts.slice(0, -1).join('/');
  return (parent === '' || isPlainFolder(workspace, parent)) && !isThere(join(workspace, path));
}

/** What the user names is made; of the usual ones those whose kind of project is here. */
function isWanted(workspace: string, path: string): boolean {
  const usual = USUAL_SCRATCH.filter(({ glob }) => glob === path);
  return usual.length === 0 || usual.some(({ beside }) => beside !== undefined && existsSync(join(workspace, beside)));
}

function hasMakefile(workspace: string): boolean {
  return ['Makefile', 'makefile', 'GNUmakefile'].some((name) => existsSync(join(workspace, name)));
}

function makeFolder(workspace: string, path: string): boolean {
  return tryOr(() => {
    mkdirSync(join(workspace, path));
    return true;
  }, false);
}

function findFolders(workspace: string, patterns: readonly string[]): readonly string[] {
  if (patterns.length === 0) return [];
  const isMeant = picomatch([...patterns], { dot: true, noextglob: true, nonegate: true });
  const found: string[] = [];
  const waiting = [''];
  let left = MAX_FOLDERS;
  for (let folder = waiting.shift(); folder !== undefined && left > 0; folder = waiting.shift()) {
    for (const path of listFolders(workspace, folder)) {
      left -= 1;
      if (isMeant(path)) found.push(path);
      else if (path.split('/').length < MAX_DEPTH) waiting.push(path);
    }
  }
  return found;
}

function listFolders(workspace: string, folder: string): readonly string[] {
  return tryOr(
    () =>
      readdirSync(join(workspace, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !PASSED_OVER.has(entry.name))
        .map((entry) => (folder === '' ? entry.name : `${folder}/${entry.name}`)),
    [],
  );
}
