import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  existsSync,
  type FSWatcher,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';

/** What is in the folder of a fleet. */
export interface FolderPlaces {
  /** Drafts, and what is on its way out. */
  readonly drafts: string;
  readonly state: string;
  readonly runs: string;
  readonly reports: string;
  readonly words: string;
  readonly blobs: string;
  readonly peers: string;
  readonly subjects: string;
}

export function toPlaces(root: string): FolderPlaces {
  return {
    drafts: join(root, 'drafts'),
    state: join(root, 'state'),
    runs: join(root, 'runs'),
    reports: join(root, 'reports'),
    words: join(root, 'words'),
    blobs: join(root, 'blobs'),
    peers: join(root, 'peers'),
    subjects: join(root, 'subjects'),
  };
}

/** The code of an error that says that nothing of a fleet is there any more. */
export const FOLDER_GONE = 'fleet-folder-gone';

/** @param missing what should be there; absolute */
export function toFolderGone(missing?: string): Error {
  const what = missing === undefined ? '' : `: there is no ${missing}`;
  return Object.assign(new Error(`the fleet's folder is gone${what}`), { code: FOLDER_GONE });
}

/** Whether a name among the drafts is one that a fleet gave: what else is there is not its own. */
export function isDraftName(name: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
}

/**
 * Writes a file that nobody reads yet, down to the disk: what becomes of it is there whole or not at all.
 *
 * @param isPassing it need not outlive a power cut, which ends all who know of it
 */
export async function writeDraft(drafts: string, content: string | Uint8Array, isPassing = false): Promise<string> {
  const path = join(drafts, randomUUID());
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw toErrorCode(error) === 'ENOENT' ? toFolderGone(drafts) : error;
  });
  try {
    await file.writeFile(content);
    if (!isPassing) await file.sync();
  } catch (error) {
    // On a full disk each try would leave what fills it more.
    rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return path;
}

export async function dropDraft(path: string): Promise<void> {
  await rm(path, { force: true, recursive: true });
}

/**
 * Gives a draft a name that nothing has: of several who try, one makes it. `lacking`: the folder is not there.
 *
 * @throws the system error
 */
export function linkDraft(draft: string, path: string): 'made' | 'taken' | 'lacking' {
  try {
    linkSync(draft, path);
    return 'made';
  } catch (error) {
    if (toErrorCode(error) === 'EEXIST') return 'taken';
    if (toErrorCode(error) === 'ENOENT' && existsSync(draft)) return 'lacking';
    throw error;
  }
}

/** What was made or removed in a folder outlives a power cut from here on. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch((error: unknown) => {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder where there is none, with those around it; it outlives a power cut from here on. */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let place = resolve(folder); !existsSync(place); place = dirname(place)) missing.unshift(place);
  // One by one: below /proc Node's own way (`recursive`) tries for ever.
  for (const place of missing) {
    try {
      mkdirSync(place, { mode: 0o700 });
    } catch (error) {
      if (toErrorCode(error) !== 'EEXIST') throw error;
    }
    await syncFolder(dirname(place));
  }
}

/** Makes a folder in one that is there, unless it is there: of a fleet that is gone nothing is made anew. */
export function makeInside(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (toErrorCode(error) !== 'EEXIST') throw error;
  }
}

/** `null`: it is not there. */
export function findFileText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** What is in a file, and which file it is: another one under its name, later, has another mark. `null`: it is not there. */
export function findMarkedText(path: string): { readonly text: string; readonly mark: string } | null {
  try {
    const file = openSync(path, 'r');
    try {
      return { text: readFileSync(file, 'utf8'), mark: toMark(fstatSync(file, { bigint: true })) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The mark of a file as it stands; `null`: it is not there. */
export function findMark(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : toMark(stats);
}

/** Some file systems give the number of a file that was removed to the next one. */
function toMark({ ino, mtimeNs }: BigIntStats): string {
  return `${ino} ${mtimeNs}`;
}

/** Nothing where the folder is not there. */
export function listFolderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The greatest number that is a name in a folder; 0: there is none. */
export function findLast(folder: string): number {
  return listFolderNames(folder).reduce((last, name) => (/^\d{1,15}$/.test(name) ? Math.max(last, Number(name)) : last), 0);
}

/** What the system does not say of a folder is found by looking. */
const LOOK_MS = 200;

/**
 * Calls when something may be new in a folder, which need not be there yet; now and then also when nothing is.
 *
 * @returns ends it
 */
export function createBell(folder: string, ring: () => void): () => void {
  let watcher: FSWatcher | null = null;
  const call = (): void => {
    try {
      ring();
    } catch {
      // Who asks for something hears of it.
    }
  };
  const drop = (): void => {
    watcher?.close();
    watcher = null;
  };
  const attach = (): void => {
    if (watcher !== null) return;
    try {
      watcher = watch(folder, { persistent: false }, call);
      watcher.on('error', drop);
    } catch {
      // Not there yet, or the system can watch no more: it is looked at.
    }
  };
  const timer = setInterval(() => {
    attach();
    call();
  }, LOOK_MS);
  timer.unref();
  attach();
  return () => {
    clearInterval(timer);
    drop();
  };
}
