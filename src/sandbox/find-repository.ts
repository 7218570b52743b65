import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where the repository of a workspace is. Paths are absolute. */
export interface Repository {
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

/** Looks for `.git` in a folder and above it. Never throws. */
export function findRepository(workspace: string): Repository {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    const named = readLine(git, /^gitdir:\s*(.+)$/m);
    if (named !== null) return toNamed(folder, resolve(folder, named));
    if (existsSync(git))
      return { folders: [folder, git], written: toReal(git) === join(toReal(folder) ?? '', '.git') ? listReal(git) : [], root: folder };
    if (dirname(folder) === folder) return { folders: [], written: [], root: null };
  }
}

/** The repository of a worktree or of a submodule lies elsewhere: `.git` is then a file that says where. */
function toNamed(root: string, own: string): Repository {
  const line = readLine(join(own, 'commondir'), /^(.+)$/m);
  const common = line === null ? null : resolve(own, line);
  const folders = [root, own, ...(common === null ? [] : [common])];
  const written = common === null ? toSubmodule(root, own) : toWorktree(root, own, common);
  return { folders, written: written.every(isGitFolder) ? written : [], root };
}

function toWorktree(root: string, own: string, common: string): readonly string[] {
  const back = readLine(join(own, 'gitdir'), /^(.+)$/m);
  const [realOwn, realCommon] = [toReal(own), toReal(common)];
  const isOurs = back !== null && toReal(resolve(own, back)) === toReal(join(root, '.git'));
  return isOurs && realOwn !== null && realCommon !== null && dirname(realOwn) === join(realCommon, 'worktrees') ? [realCommon] : [];
}

function toSubmodule(root: string, own: string): readonly string[] {
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
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** A line of a small file; a `.git` folder and a huge file are none. */
function readLine(file: string, pattern: RegExp): string | null {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > 1 << 20) return null;
    return pattern.exec(readFileSync(file, 'utf8'))?.[1]?.trim() ?? null;
  } catch {
    return null;
  }
}
