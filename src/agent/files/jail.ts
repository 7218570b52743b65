import { realpathSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { toErrorCode } from '../../core/values/errors.ts';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import type { Jail } from '../tool/tool.ts';
import { checkPathText, quotePath } from './check-path-text.ts';
import { foldName, isGitName } from './protected-names.ts';

/** What {@link createJail} needs. Relative paths count from the workspace. */
export interface JailSettings {
  /** The folder the agents work in; has to exist. All of it may be read. */
  readonly workspace: string;
  /** Folders and files that may be read beside it: long outputs, context. */
  readonly readRoots: readonly string[];
  /** Folders and files that may be written; the workspace only if it is among them. */
  readonly writeRoots: readonly string[];
  /**
   * Files of the agents beside the workspace that may be read and written: absolute, their folder's way from the root of the run as it really is. They
   * are taken by their names: a link that was put in their place leads out of them.
   */
  readonly sharedFiles?: readonly string[];
  /** Never written, whatever the write roots say, unless a write root lies in them: the state folder, configuration of hooks. */
  readonly protectedPaths: readonly string[];
  /** True for a hat that may not change files: write roots that hold the workspace do not count; `.agent/` is writable all the same. */
  readonly isReadOnly?: boolean;
}

/** What agents share with each other: every hat may write there, through the tools it has. */
const AGENT_DIR = '.agent';
const STATE_DIR = '.ralph';

interface Walls {
  readonly workspace: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly protectedPaths: readonly string[];
  readonly isReadOnly: boolean;
}

/**
 * Decides what file tools may touch. A path is judged by where it really leads (links resolved as far as it exists), so `..`, absolute paths and
 * links gain nothing. What a check has allowed may be something else a moment later: files are opened by `openPinned`.
 *
 * Reading a hard link is allowed, as it cannot be told from a file; writing replaces the name, so the other name keeps its content.
 *
 * @throws the system's error when the workspace does not exist.
 */
export function createJail(settings: JailSettings): Jail {
  const walls = buildWalls(settings);
  const locate = async (path: string): Promise<Result<string>> => {
    const fault = checkPathText(path);
    return fault === null ? findRealPath(resolve(walls.workspace, path)) : refuse(fault);
  };
  return {
    workspace: walls.workspace,
    resolveRead: async (path) => {
      const found = await locate(path);
      if (!found.ok) return found;
      if (walls.protectedPaths.some((state) => isSecretOfRuns(state, found.value))) return refuse(explainSecret(path));
      if (walls.readable.some((root) => isInside(root, found.value))) return found;
      return refuse(explainOutside(path, 'outside of what may be read'));
    },
    resolveWrite: async (path) => {
      const found = await locate(path);
      if (!found.ok) return found;
      const refusal = await findWriteRefusal(walls, path, found.value);
      return refusal === null ? found : refuse(refusal);
    },
    toShown: (path) => toShown(walls.workspace, resolve(walls.workspace, path)),
  };
}

function buildWalls(settings: JailSettings): Walls {
  const workspace = realpathSync.native(resolve(settings.workspace));
  const isReadOnly = settings.isReadOnly ?? false;
  const toRoot = (path: string): string => toRealRoot(workspace, resolve(settings.workspace), path);
  const agentDir = join(workspace, AGENT_DIR);
  const given = settings.writeRoots.map(toRoot).filter((root) => !isReadOnly || !isInside(root, workspace));
  const shared = (settings.sharedFiles ?? []).map((path) => (isInside(settings.workspace, path) ? toRoot(path) : path));
  const writable = [...new Set([agentDir, ...given, ...shared])];
  return {
    workspace,
    readable: [...new Set([workspace, ...settings.readRoots.map(toRoot), ...writable])],
    writable,
    protectedPaths: [...new Set([join(workspace, STATE_DIR), ...settings.protectedPaths.map(toRoot)])],
    isReadOnly,
  };
}

/**
 * Roots outside of the workspace are what the person gave, links resolved. Inside of it everything is the agents': a root there is taken by its
 * name, so that a link that was put in its place leads outside of the root.
 */
function toRealRoot(workspace: string, givenWorkspace: string, path: string): string {
  const absolute = resolve(workspace, path);
  if (isInside(workspace, absolute)) return absolute;
  if (isInside(givenWorkspace, absolute)) return join(workspace, relative(givenWorkspace, absolute));
  return toRealAncestor(absolute);
}

function toRealAncestor(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealAncestor(parent), basename(path));
  }
}

/** What a run keeps in the state folder that no agent is to read: its settings, where keys may be written out, and logins. */
function isSecretOfRuns(state: string, real: string): boolean {
  if (!isInsideFolded(state, real)) return false;
  const [runs, , file = ''] = real.split(sep).slice(state.split(sep).length).map(foldName);
  return runs === 'runs' && (file.startsWith('settings.json') || file === 'private');
}

function explainSecret(path: string): Refusal {
  return {
    reason: `${quotePath(path)} is Ralph's own: the settings of a run may hold keys.`,
    advice: 'What the run is to do is in the prompt; the configuration of the workspace (ralph.yml) may be read.',
  };
}

async function findWriteRefusal(walls: Walls, given: string, real: string): Promise<Refusal | null> {
  const roots = walls.writable.filter((path) => isInside(path, real));
  const root = roots.toSorted((left, right) => right.length - left.length)[0];
  const guard = findProtection(walls, real, root) ?? findGitName(walls, given, real, root);
  if (guard !== null) return explainProtected(given, guard);
  if (root === undefined) return explainNoRoot(walls, given, real);
  const hidden = await findHiddenGuard(walls, root, real);
  return hidden === null ? null : explainProtected(given, hidden);
}

function explainNoRoot(walls: Walls, given: string, real: string): Refusal {
  if (walls.isReadOnly && isInside(walls.workspace, real)) {
    return {
      reason: `${quotePath(given)} may not be written: this hat reads only.`,
      advice: 'Say in an event or in the scratchpad what ought to be changed; a hat that may write does it.',
    };
  }
  return explainOutside(given, 'outside of what may be written');
}

function explainOutside(given: string, where: string): Refusal {
  return {
    reason: `${quotePath(given)} is ${where}.`,
    advice:
      'Give a path inside of the workspace, best a relative one; list_files shows what there is. Links are judged by where they lead.',
  };
}

function explainProtected(given: string, guard: string): Refusal {
  const advice =
    guard === '.git'
      ? 'The repository is changed by the git tools only (git_commit and the like), never by writing its files.'
      : 'Only Ralph itself, or a person, writes there. Put notes for other hats into .agent/ and results into the workspace.';
  return { reason: `${quotePath(given)} lies in ${quotePath(guard)}, which is protected.`, advice };
}

/** The protected path that holds `real`, if the write root does not lie deeper. */
function findProtection(walls: Walls, real: string, root: string | undefined): string | null {
  const rootDepth = root === undefined ? 0 : countNames(root);
  const guard = walls.protectedPaths.find((path) => countNames(path) >= rootDepth && isInsideFolded(path, real));
  return guard === undefined ? null : toShown(walls.workspace, guard);
}

/** A name of git's below the root, in the path as it was given or as it really is. */
function findGitName(walls: Walls, given: string, real: string, root = walls.workspace): '.git' | null {
  const paths = [real, resolve(walls.workspace, given)].filter((path) => isInside(root, path));
  return paths.some((path) => relative(root, path).split(sep).some(isGitName)) ? '.git' : null;
}

/** Protection that no name tells: of folders that are the protected ones under another name, and of repositories without `.git`. */
async function findHiddenGuard(walls: Walls, root: string, real: string): Promise<string | null> {
  const guards = await identifyAll(walls.protectedPaths);
  for (let folder = real; folder !== root && isInside(root, folder); folder = dirname(folder)) {
    const guard = guards.get((await identify(folder)) ?? '');
    if (guard !== undefined) return toShown(walls.workspace, guard);
    if (folder !== real && (await isGitFolder(folder))) return '.git';
  }
  return null;
}

async function identifyAll(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const pairs = await Promise.all(paths.map(async (path) => [await identify(path), path] as const));
  return new Map(pairs.flatMap(([id, path]) => (id === null ? [] : [[id, path] as const])));
}

async function identify(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** A repository's own folder, whatever its name: a bare one, or one that a `.git` file points to. */
async function isGitFolder(folder: string): Promise<boolean> {
  const isThere = (name: string): Promise<boolean> =>
    lstat(join(folder, name))
      .then(() => true)
      .catch(() => false);
  return (await isThere('HEAD')) && (await isThere('objects')) && (await isThere('refs'));
}

function countNames(path: string): number {
  return path.split(sep).filter((name) => name !== '').length;
}

/** True for the root itself and for what is below it. */
function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function isInsideFolded(root: string, path: string): boolean {
  const names = root.split(sep).map(foldName);
  const others = path.split(sep).map(foldName);
  return names.every((name, index) => name === others[index]);
}

function toShown(workspace: string, path: string): string {
  if (!isInside(workspace, path)) return path;
  const shown = relative(workspace, path).split(sep).join('/');
  return shown === '' ? '.' : shown;
}

/** Errors that mean: there is nothing of that name. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * The real path of the nearest part that exists, and the rest as it is. A link that leads to nothing is refused: it may lead to something later.
 *
 * @param path absolute.
 */
async function findRealPath(path: string): Promise<Result<string>> {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return accept(join(await realpath(current), ...rest));
    } catch (error) {
      const code = toErrorCode(error);
      if (!ABSENT.has(code)) return refuse(explainLookup(path, code));
      if (await isLink(current)) {
        return refuse({
          reason: `The path ${quotePath(path)} goes through a symbolic link that leads to nothing.`,
          advice: 'Give the path of a file itself, not of a link to it.',
        });
      }
      rest.unshift(basename(current));
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path)
    .then((stats) => stats.isSymbolicLink())
    .catch(() => false);
}

function explainLookup(path: string, code: string): Refusal {
  const shown = quotePath(path);
  if (code === 'ELOOP')
    return { reason: `The path ${shown} goes through symbolic links that lead in a circle.`, advice: 'Give another path.' };
  if (code === 'EACCES' || code === 'EPERM') {
    return { reason: `The path ${shown} goes through a folder that may not be entered (${code}).`, advice: 'Give another path.' };
  }
  return { reason: `The path ${shown} cannot be looked up (${code}).`, advice: 'Check the path; list_files shows what there is.' };
}
