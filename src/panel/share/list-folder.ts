import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { toErrorCode } from '../../core/values/errors.ts';
import { inLanes } from './in-lanes.ts';

/** A file or a folder; the path relative to the top, with `/`. */
export interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/** All that is in a folder. Neither sockets nor pipes nor devices. */
export interface FolderList {
  readonly files: readonly Found[];
  readonly links: readonly string[];
  /** Each behind the one that it lies in; not the top itself. */
  readonly folders: readonly Found[];
}

interface FolderRules {
  /** What is not looked at, nor into. */
  readonly isSkipped: (path: string) => boolean;
  /** Told of all that is found, in the order of names; may throw. */
  readonly onFound?: (found: Found) => void;
  /** What may not be read, and what goes away meanwhile, is passed over. Else it is an error. */
  readonly isLenient: boolean;
}

/**
 * Lists all of a folder, without following a link.
 *
 * @throws the system's error; what `onFound` throws
 */
export async function listFolder(top: string, { isSkipped, onFound, isLenient }: FolderRules): Promise<FolderList> {
  const list = { files: [] as Found[], links: [] as string[], folders: [] as Found[] };
  const pass = <T>(value: T) => {
    return (error: unknown): T => {
      if (isLenient && PASSED.includes(toErrorCode(error))) return value;
      throw error;
    };
  };
  const waiting = [''];
  // It grows while it is gone through.
  for (const folder of waiting) {
    const names = await readdir(join(top, folder)).catch(pass<string[]>([]));
    const paths = names.map((name) => posix.join(folder, name)).filter((path) => !isSkipped(path));
    const seen = new Map<string, Stats | null>();
    await inLanes(paths, async (path) => {
      seen.set(path, await lstat(join(top, path)).catch(pass<Stats | null>(null)));
    });
    for (const path of paths.sort()) {
      const stats = seen.get(path) ?? null;
      if (stats === null) continue;
      const found = { path, stats };
      onFound?.(found);
      if (stats.isDirectory()) {
        list.folders.push(found);
        waiting.push(path);
      } else if (stats.isSymbolicLink()) list.links.push(path);
      else if (stats.isFile()) list.files.push(found);
    }
  }
  return list;
}

/** It is gone, or not for us. */
const PASSED = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EIO', 'ESTALE'];
