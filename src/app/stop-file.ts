import { closeSync, constants, type FSWatcher, fstatSync, lstatSync, openSync, readSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, parseSender, type Sender } from '../core/index.ts';
import { removeTree } from '../process/index.ts';

/** How another process asks a run to stop: `after` the running turn, or `now`. */
export type StopWish = 'after' | 'now';

const FILE = 'stop';
const POLL_MS = 500;
const MAX_BYTES = 4096;

/** Leaves the wish in the run's folder, with whose it is. It appears whole: half of it would be a wish of nobody. */
export function writeStopWish(runFolder: string, wish: StopWish, sender: Sender): void {
  const draft = join(runFolder, `${FILE}.${process.pid}`);
  removeTree(draft);
  writeFileSync(draft, `${wish}\n${JSON.stringify(sender)}\n`, { flag: 'wx' });
  const path = join(runFolder, FILE);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) clearStopWish(runFolder);
  renameSync(draft, path);
}

/** Forgets an old wish, whatever stands in its place. Never throws: a run that has ended is not to wait for it. */
export function clearStopWish(runFolder: string): void {
  try {
    removeTree(join(runFolder, FILE));
  } catch {
    return;
  }
}

/** A wish as it stands in a run's folder; the sender is `null` where the file does not say whose it is. */
export interface LeftWish {
  readonly wish: StopWish;
  readonly sender: Sender | null;
}

/** Takes what is left in the run's folder: each wish of each sender once; `null` when there is nothing new. */
export function createWishReader(runFolder: string): () => LeftWish | null {
  let last = '';
  return () => {
    const text = readText(runFolder);
    if (text === last || text === '') return null;
    last = text;
    const [wish, by = ''] = text.split('\n');
    return { wish: wish === 'now' ? 'now' : 'after', sender: parseSender(parseJson(by)) };
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

function readText(runFolder: string): string {
  try {
    return readPlain(join(runFolder, FILE));
  } catch {
    return '';
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
