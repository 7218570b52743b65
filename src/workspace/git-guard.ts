import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Files of git's that say what it does and where it stands. `*`: every file of that folder. */
const GUARDED = ['config', 'hooks/*', 'info/*', 'objects/info/alternates', 'shallow'];
const GUARDED_HERE = ['HEAD', 'config.worktree', 'info/sparse-checkout'];
const MAX_FILES = 500;
const MAX_BYTES = 1 << 20;

/** A file of git's as it was. */
export interface GuardedFile {
  /** Absolute. */
  readonly file: string;
  /** Content and mode, hashed. */
  readonly version: string;
  /** The content; `null` of a link, and of a file that is too large to be kept. */
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/** Git's own files that a hat without write access must leave alone, by their names from `.git`. */
export function readGuarded(gitDir: string, commonDir: string): ReadonlyMap<string, GuardedFile> {
  const files = [...list(commonDir, GUARDED), ...list(gitDir, GUARDED_HERE)];
  const found = files.slice(0, MAX_FILES).flatMap(([name, file]) => {
    const guarded = readFile(file);
    return guarded === null ? [] : [[`.git/${name}`, guarded] as const];
  });
  return new Map(found);
}

function list(folder: string, names: readonly string[]): readonly (readonly [name: string, file: string])[] {
  return names.flatMap((name) => {
    if (!name.endsWith('/*')) return [[name, join(folder, name)] as const];
    const inner = name.slice(0, -2);
    return listNames(join(folder, inner)).map((file) => [`${inner}/${file}`, join(folder, inner, file)] as const);
  });
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readFile(file: string): GuardedFile | null {
  try {
    const stats = lstatSync(file);
    if (stats.isDirectory()) return null;
    if (stats.isSymbolicLink()) return { file, version: `link ${readlinkSync(file)}`, bytes: null, mode: stats.mode };
    if (!stats.isFile() || stats.size > MAX_BYTES)
      return { file, version: `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`, bytes: null, mode: stats.mode };
    const bytes = readFileSync(file);
    return { file, version: `${stats.mode} ${createHash('sha256').update(bytes).digest('hex')}`, bytes, mode: stats.mode };
  } catch {
    return null;
  }
}
