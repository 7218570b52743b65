import { closeSync, constants, existsSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { tryOr } from '../core/values/result.ts';

export interface GitPlaces {
  readonly top: string;
  /** Of a worktree its own folder. */
  readonly gitDir: string;
  /** What the worktrees of a repository share; of the main one the same as `gitDir`. */
  readonly commonDir: string;
}

/**
 * Where the own files of the repository at a working tree's top are, as git itself finds them now: somebody may have put another repository in the
 * place of the one that was there. Asks git nothing.
 *
 * @param gitDir what git said before; it stands where there is no `.git` to be read
 */
export function readGitPlaces(top: string, gitDir: string): GitPlaces {
  const found = readLink(top) ?? gitDir;
  return { top, gitDir: found, commonDir: readCommonDir(found) };
}

/** `.git` as a folder, or what it says as a file: `gitdir: PATH`. */
function readLink(top: string): string | null {
  const path = join(top, '.git');
  try {
    if (statSync(path).isDirectory()) return path;
    const target = /^gitdir: (.+)$/s.exec(withoutLineEnds(readGitText(path)))?.[1];
    return target === undefined ? null : resolve(top, target);
  } catch {
    return null;
  }
}

/** What working trees of one repository share. */
export function readCommonDir(gitDir: string): string {
  return tryOr(() => resolve(gitDir, withoutLineEnds(readGitText(join(gitDir, 'commondir')))), gitDir);
}

/** A pipe in the place of a file would hold the process for ever, signals and all; without waiting it is an empty one. */
export function readGitText(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

/** True where no folder above has a `.git`: git finds no working tree then, for what would point it to another one is taken from it. */
export function isOutsideGit(cwd: string): boolean {
  try {
    for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
      if (existsSync(join(folder, '.git'))) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** What an agent wrote into `.git` could name the main checkout: its folder of git must name this one back. */
export function isOwnWorktree(path: string, { top, gitDir }: Pick<GitPlaces, 'top' | 'gitDir'>): boolean {
  return tryOr(() => {
    const real = realpathSync(path);
    const back = readGitText(join(gitDir, 'gitdir')).trim();
    return realpathSync(top) === real && basename(dirname(gitDir)) === 'worktrees' && back === join(real, '.git');
  }, false);
}

/** The folders that belong to the repository of a workspace. Paths are absolute. */
export interface RepositoryFolders {
  /** What git looks at: the folder with `.git` in it, git's own folder, and of a worktree also the one that it shares. */
  readonly folders: readonly string[];
  /**
   * What a commit writes, where it is certain that it belongs to this workspace: real paths. A `.git` file is something that an agent could have written
   * to be shown another folder, so what it names must name it back.
   */
  readonly written: readonly string[];
  /** The folder with `.git` in it; `null` where there is none. */
  readonly root: string | null;
}

/** Looks for `.git` in a folder and above it, for who shows these folders to an agent. Asks git nothing. Never throws. */
export function findRepositoryFolders(workspace: string): RepositoryFolders {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    const named = readLine(git, /^gitdir:\s*(.+)$/m);
    if (named !== null) return toNamedFolders(folder, resolve(folder, named));
    if (existsSync(git))
      return { folders: [folder, git], written: toReal(git) === join(toReal(folder) ?? '', '.git') ? listReal(git) : [], root: folder };
    if (dirname(folder) === folder) return { folders: [], written: [], root: null };
  }
}

/** The repository of a worktree or of a submodule lies elsewhere: `.git` is then a file that says where. */
function toNamedFolders(root: string, own: string): RepositoryFolders {
  const line = readLine(join(own, 'commondir'), /^(.+)$/m);
  const common = line === null ? null : resolve(own, line);
  const folders = [root, own, ...(common === null ? [] : [common])];
  const written = common === null ? listOfSubmodule(root, own) : listOfWorktree(root, own, common);
  return { folders, written: written.every(isGitFolder) ? written : [], root };
}

function listOfWorktree(root: string, own: string, common: string): readonly string[] {
  const back = readLine(join(own, 'gitdir'), /^(.+)$/m);
  const [realOwn, realCommon] = [toReal(own), toReal(common)];
  const isOurs = back !== null && toReal(resolve(own, back)) === toReal(join(root, '.git'));
  return isOurs && realOwn !== null && realCommon !== null && dirname(realOwn) === join(realCommon, 'worktrees') ? [realCommon] : [];
}

function listOfSubmodule(root: string, own: string): readonly string[] {
  const back = readLine(join(own, 'config'), /^\s*worktree\s*=\s*(.+)$/m);
  return back !== null && toReal(resolve(own, back)) === toReal(root) ? listReal(own) : [];
}

function isGitFolder(path: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)));
}

function listReal(path: string): readonly string[] {
  const real = toReal(path);
  return real === null ? [] : [real];
}

function toReal(path: string): string | null {
  return tryOr(() => realpathSync(path), null);
}

/** A line of a small file; a `.git` folder and a huge file are none. */
function readLine(file: string, pattern: RegExp): string | null {
  return tryOr(() => {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > 1 << 20) return null;
    return pattern.exec(readGitText(file))?.[1]?.trim() ?? null;
  }, null);
}
