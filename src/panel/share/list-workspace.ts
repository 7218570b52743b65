import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { judgeSecretName } from '../../core/text/secret-files.ts';
import { inLanes } from './in-lanes.ts';
import type { LeftOutNotes, LeftOutReason } from './left-out.ts';

/** How much of a workspace is looked at. */
export interface ListRules {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Files and folders that are not looked at, relative to the workspace, beside those that never are. */
  readonly skipped: readonly string[];
}

/** What is to be copied; paths relative to the workspace, with `/`. */
export interface WorkspaceList {
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** As large as the files were. */
  readonly bytes: number;
}

/** What git, Ralph and hats keep. */
const OWN = ['.git', '.ralph', '.agent'];
/** Nobody's answer, wherever they stand: what git and package managers keep, what Ralph and hats do. `.git` of a worktree also says where that lies. */
const NEVER = [...OWN, 'node_modules'];

/** Whether the last part of a path is that of what git, Ralph or hats keep. */
export function isOwn(path: string): boolean {
  return OWN.includes(posix.basename(path).toLowerCase());
}

/** Whether a snapshot holds what has this path, as far as a path can tell. */
export function isTaken(path: string, skipped: readonly string[]): boolean {
  const parts = path.split('/');
  return judgeSecretName(path) === null && !parts.some((_part, index) => isSkipped(parts.slice(0, index + 1).join('/'), skipped));
}

/**
 * Lists a workspace from the top on, in the order of names: of one that is too large the deepest is left out. No more folders than files are looked into.
 * Follows no link.
 */
export async function listWorkspace(top: string, rules: ListRules, notes: LeftOutNotes): Promise<WorkspaceList> {
  const [files, links, folders]: [string[], string[], string[]] = [[], [], ['']];
  let bytes = 0;
  const isFull = (): boolean => files.length + links.length >= rules.maxFiles;
  const take = (path: string, stats: Stats): void => {
    if (isFull() || (stats.isDirectory() && folders.length > rules.maxFiles)) return notes.add(path, 'files');
    if (stats.isDirectory()) folders.push(path);
    else if (stats.isSymbolicLink()) links.push(path);
    else if (!stats.isFile()) notes.add(path, 'special');
    else if (judgeSecretName(path) !== null) notes.add(path, 'secret');
    else if (bytes + stats.size > rules.maxBytes) notes.add(path, 'bytes');
    else {
      files.push(path);
      bytes += stats.size;
    }
  };
  // It grows while it is gone through.
  for (const folder of folders) {
    if (isFull()) {
      notes.add(folder, 'files');
      continue;
    }
    const names = await listNames(join(top, folder), rules.maxFiles, (why) => notes.add(folder, why));
    const paths = names.map((name) => posix.join(folder, name)).filter((path) => !isSkipped(path, rules.skipped));
    const found = new Map<string, Stats>();
    await inLanes(paths, async (path) => {
      const stats = await lstat(join(top, path)).catch(() => null);
      if (stats === null) notes.add(path, 'unreadable');
      else found.set(path, stats);
    });
    for (const path of paths) {
      const stats = found.get(path);
      if (stats !== undefined) take(path, stats);
    }
  }
  return { files, links, bytes };
}

/** In lower case, for file systems to which it is the same. */
function isSkipped(path: string, skipped: readonly string[]): boolean {
  return NEVER.includes(posix.basename(path).toLowerCase()) || skipped.includes(path);
}

/** The names in a folder, sorted: not all of too many, for an agent can make as many as it likes. */
async function listNames(folder: string, most: number, onCut: (why: LeftOutReason) => void): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 256 })) {
      if (names.length > most) {
        onCut('files');
        break;
      }
      names.push(name);
    }
  } catch {
    onCut('unreadable');
  }
  return names.sort();
}
