import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseJson, parseSender, type Sender } from '../core/index.ts';

/** How another process asks a run to stop: `after` the running turn, or `now`. */
export type StopWish = 'after' | 'now';

const FILE = 'stop';
const POLL_MS = 500;
const MAX_BYTES = 4096;

/** Leaves the wish in the run's folder, with whose it is. It appears whole: half of it would be a wish of nobody. */
export function writeStopWish(runFolder: string, wish: StopWish, sender: Sender): void {
  const draft = join(runFolder, `${FILE}.${process.pid}`);
  rmSync(draft, { force: true, recursive: true });
  writeFileSync(draft, `${wish}\n${JSON.stringify(sender)}\n`, { flag: 'wx' });
  const path = join(runFolder, FILE);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) clearStopWish(runFolder);
  renameSync(draft, path);
}

/** Forgets an old wish. */
export function clearStopWish(runFolder: string): void {
  rmSync(join(runFolder, FILE), { force: true, recursive: true });
}

/** A wish as it stands in a run's folder; the sender is `null` where the file does not say whose it is. */
export interface LeftWish {
  readonly wish: StopWish;
  readonly sender: Sender | null;
}

/** Takes what is left in the run's folder: each wish once, a second, stronger one too; `null` when there is nothing new. */
export function createWishReader(runFolder: string): () => LeftWish | null {
  let last: StopWish | null = null;
  return () => {
    const left = readWish(runFolder);
    if (left === null || left.wish === last) return null;
    last = left.wish;
    return left;
  };
}

/**
 * Calls `look` when something in the run's folder changes, from time to time where watching does not work, and once at the beginning.
 *
 * @returns a function that ends it
 */
export function watchWishes(runFolder: string, look: () => void): () => void {
  const watcher = tryWatch(runFolder, look);
  const poll = setInterval(look, POLL_MS);
  poll.unref();
  look();
  return () => {
    clearInterval(poll);
    watcher?.close();
  };
}

function readWish(runFolder: string): LeftWish | null {
  try {
    const [wish, by = ''] = readPlain(join(runFolder, FILE)).split('\n');
    return { wish: wish === 'now' ? 'now' : 'after', sender: parseSender(parseJson(by)) };
  } catch {
    return null;
  }
}

/** A file alone: no link is followed, and no pipe waited for. Throws the system error; the beginning of what is too long. */
function readPlain(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.subarray(0, readSync(handle, bytes)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

function tryWatch(folder: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
