import { type FSWatcher, realpathSync, statSync, unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Tells when one of a set of files is changed, made, removed or replaced. */
export interface FileWatcher {
  /** From now on these files (absolute paths) and no others; they need not be there. True if a change just before it may have been missed. */
  readonly follow: (paths: Iterable<string>) => boolean;
  readonly close: () => void;
}

/** Where the system cannot tell about changes, files are looked at this often. */
const POLL_MS = 500;

/**
 * Watches files by their folders: an editor that writes a new file and moves it over the old one would be lost otherwise. For a folder that is
 * not there the nearest one above it is watched.
 */
export function createFileWatcher(onChange: () => void): FileWatcher {
  const folders = new Map<string, WatchedFolder>();
  const polled = new Set<string>();
  const poll = (path: string): void => {
    if (polled.has(path)) return;
    polled.add(path);
    watchFile(path, { interval: POLL_MS }, onChange);
  };
  const follow = (paths: Iterable<string>): boolean => {
    const wanted = groupByFolder(paths);
    let isNew = false;
    for (const [folder, watched] of folders) {
      if (wanted.has(folder) && inodeOf(folder) === watched.inode) continue;
      watched.watcher?.close();
      folders.delete(folder);
    }
    for (const [folder, files] of wanted) {
      const watched = folders.get(folder);
      if (watched !== undefined) watched.files = files;
      else {
        folders.set(folder, watchFolder(folder, files, { onChange, poll }));
        isNew = true;
      }
    }
    return isNew;
  };
  const close = (): void => {
    for (const { watcher } of folders.values()) watcher?.close();
    for (const path of polled) unwatchFile(path, onChange);
    folders.clear();
    polled.clear();
  };
  return { follow, close };
}

interface WatchedFolder {
  /** `null` where its files are looked at again and again instead. */
  readonly watcher: FSWatcher | null;
  readonly inode: number | null;
  /** Whole paths; `null` for a folder that is watched because one below it is not there. */
  files: ReadonlySet<string> | null;
}

interface Reactions {
  readonly onChange: () => void;
  readonly poll: (path: string) => void;
}

function watchFolder(folder: string, files: WatchedFolder['files'], { onChange, poll }: Reactions): WatchedFolder {
  const inode = inodeOf(folder);
  const pollAll = (): void => {
    for (const path of watched.files ?? [folder]) poll(path);
  };
  let watched: WatchedFolder = { watcher: null, inode, files };
  try {
    const watcher = watch(folder, (_kind, name) => {
      const isOurs = name === null || watched.files === null || name === basename(folder);
      if (isOurs || [...(watched.files ?? [])].some((path) => basename(path) === name)) onChange();
    });
    watched = { watcher, inode, files };
    watcher.on('error', () => {
      pollAll();
      onChange();
    });
  } catch {
    pollAll();
  }
  return watched;
}

/** The folders to watch, each with the files in it that matter: as they are named and, behind links, as they are called. */
function groupByFolder(paths: Iterable<string>): ReadonlyMap<string, ReadonlySet<string> | null> {
  const groups = new Map<string, Set<string> | null>();
  for (const path of paths) {
    for (const name of new Set([path, resolveLinks(path)])) {
      const folder = dirname(name);
      const existing = nearestFolder(folder);
      const group = groups.get(existing);
      if (existing !== folder) groups.set(existing, null);
      else if (group === undefined) groups.set(existing, new Set([name]));
      else group?.add(name);
    }
  }
  return groups;
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function nearestFolder(folder: string): string {
  for (let candidate = folder; ; candidate = dirname(candidate)) {
    if (inodeOf(candidate) !== null || dirname(candidate) === candidate) return candidate;
  }
}

/** `null` where there is no such folder. */
function inodeOf(folder: string): number | null {
  try {
    const stats = statSync(folder);
    return stats.isDirectory() ? stats.ino : null;
  } catch {
    return null;
  }
}
