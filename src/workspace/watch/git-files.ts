import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tryOr } from '../../core/values/result.ts';
import type { GitPlaces } from '../../git/git-places.ts';

/** Files of git's that say what it does and where it stands. `*`: every file of that folder. */
const GUARDED = ['config', 'description', 'hooks/*', 'info/*', 'objects/info/alternates', 'shallow'];
/** Those of one working tree: where it stands, where its repository is, and what git is in the middle of. */
const GUARDED_HERE = ['HEAD', 'config.worktree', 'info/sparse-checkout', 'commondir', 'gitdir'].concat(
  ['ORIG_HEAD', 'MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'BISECT_START'],
  ['rebase-merge/*', 'rebase-apply/*', 'sequencer/*'],
);
const LOCKS_HERE = ['index.lock', 'HEAD.lock', 'config.worktree.lock'];
const LOCKS = ['config.lock', 'packed-refs.lock', 'shallow.lock'];
/** What git notes of where it stood: by it work that nothing else names can be found again. */
const LOGS_HERE = ['logs/HEAD'];
const LOGS = ['logs/refs/stash', 'logs/refs/heads/*'];
/** A worktree of another run of Ralph's: it comes and goes with that run. */
const OWN_WORKTREE = /[\\/]\.ralph[\\/]worktrees[\\/][^\\/]+[\\/]\.git\s*$/;
/** Of a repository in this one. */
const GUARDED_NESTED = ['config', 'hooks/*', 'info/*', 'objects/info/alternates'];
const MAX_MODULE_FOLDERS = 300;
const MAX_FILES = 500;
const MAX_BYTES = 1 << 20;

export interface GuardedFile {
  /** Absolute. */
  readonly file: string;
  /** Content and mode, hashed. */
  readonly version: string;
  /** The content; `null` of a link, and of a file that is too large to be kept. */
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/**
 * Git's own files that a hat without write access must leave alone, by their names from the top. Needs no git.
 *
 * @param nested repositories in this one, from the top
 */
export function readGuarded({ top, gitDir, commonDir }: GitPlaces, nested: readonly string[]): ReadonlyMap<string, GuardedFile> {
  const files = [
    ['.git', join(top, '.git')] as const,
    ...under('.git', [...list(gitDir, [...GUARDED_HERE, ...LOCKS_HERE]), ...list(commonDir, [...GUARDED, ...LOCKS])]),
    ...findModules(commonDir).flatMap((module) => under(`.git/${module}`, list(join(commonDir, module), GUARDED_NESTED))),
    ...nested.flatMap((path) => listNested(top, path.replace(/\/$/, ''))),
    ...under('.git', [...listWorktrees(commonDir), ...list(gitDir, LOGS_HERE), ...list(commonDir, LOGS)]),
  ];
  const found = files.slice(0, MAX_FILES).flatMap(([name, file]) => {
    const guarded = readFile(file);
    const isOwn = isWorktree(name) && OWN_WORKTREE.test(guarded?.bytes?.toString('utf8') ?? '');
    return guarded === null || isOwn ? [] : [[name, guarded] as const];
  });
  return new Map(found);
}

export function isLock(name: string): boolean {
  return [...LOCKS_HERE, ...LOCKS].some((lock) => name === `.git/${lock}`);
}

/** Whether it is the file by which git knows of another working tree. */
export function isWorktree(name: string): boolean {
  return name.startsWith('.git/worktrees/');
}

function listWorktrees(commonDir: string): Named {
  return list(
    commonDir,
    listNames(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/gitdir`),
  );
}

type Named = readonly (readonly [name: string, file: string])[];

function under(prefix: string, files: Named): Named {
  return files.map(([name, file]) => [`${prefix}/${name}`, file] as const);
}

function listNested(top: string, path: string): Named {
  const own = join(top, path, '.git');
  return [[`${path}/.git`, own] as const, ...under(`${path}/.git`, list(own, GUARDED_NESTED))];
}

/** The folders of submodules, `modules/<name>`: a name may hold `/`, and a submodule may have its own. */
function findModules(commonDir: string): readonly string[] {
  const found: string[] = [];
  const waiting = listNames(join(commonDir, 'modules')).map((name) => `modules/${name}`);
  let left = MAX_MODULE_FOLDERS;
  for (let folder = waiting.pop(); folder !== undefined && left > 0; folder = waiting.pop()) {
    left -= 1;
    const inner = listNames(join(commonDir, folder));
    const isModule = inner.includes('objects') || inner.includes('HEAD');
    if (isModule) found.push(folder);
    const deeper = isModule
      ? inner.includes('modules')
        ? listNames(join(commonDir, folder, 'modules')).map((name) => `modules/${name}`)
        : []
      : inner;
    waiting.push(...deeper.map((name) => `${folder}/${name}`));
  }
  return found.sort();
}

function list(folder: string, names: readonly string[]): Named {
  return names.flatMap((name) => {
    if (!name.endsWith('/*')) return [[name, join(folder, name)] as const];
    const inner = name.slice(0, -2);
    return listNames(join(folder, inner)).map((file) => [`${inner}/${file}`, join(folder, inner, file)] as const);
  });
}

function listNames(folder: string): readonly string[] {
  return tryOr(() => readdirSync(folder).sort(), []);
}

function readFile(file: string): GuardedFile | null {
  return tryOr(() => {
    const stats = lstatSync(file);
    if (stats.isDirectory()) return null;
    if (stats.isSymbolicLink()) return { file, version: `link ${readlinkSync(file)}`, bytes: null, mode: stats.mode };
    if (!stats.isFile() || stats.size > MAX_BYTES)
      return { file, version: `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`, bytes: null, mode: stats.mode };
    const bytes = readFileSync(file);
    return { file, version: `${stats.mode} ${createHash('sha256').update(bytes).digest('hex')}`, bytes, mode: stats.mode };
  }, null);
}
