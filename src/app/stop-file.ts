import { existsSync, type FSWatcher, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, parseSender, type Sender } from '../core/index.ts';

/** How another process asks a run to stop: `after` the running turn, or `now`. */
export type StopWish = 'after' | 'now';

const FILE = 'stop';
const POLL_MS = 500;

/** Leaves the wish in the run's folder, with whose it is. */
export function writeStopWish(runFolder: string, wish: StopWish, sender: Sender): void {
  writeFileSync(join(runFolder, FILE), `${wish}\n${JSON.stringify(sender)}\n`);
}

/** Forgets an old wish. */
export function clearStopWish(runFolder: string): void {
  rmSync(join(runFolder, FILE), { force: true });
}

/**
 * Calls `onWish` for each wish that is left in the run's folder; a second, stronger one too. Watches the folder, and looks by itself from time to time
 * where watching does not work.
 *
 * @returns a function that ends it
 */
export function watchStopWish(runFolder: string, onWish: (wish: StopWish, sender: Sender | null) => void): () => void {
  let last: StopWish | null = null;
  const look = (): void => {
    const wish = readWish(runFolder);
    if (wish === null || wish.wish === last) return;
    last = wish.wish;
    onWish(wish.wish, wish.sender);
  };
  const watcher = tryWatch(runFolder, look);
  const poll = setInterval(look, POLL_MS);
  poll.unref();
  look();
  return () => {
    clearInterval(poll);
    watcher?.close();
  };
}

function readWish(runFolder: string): { readonly wish: StopWish; readonly sender: Sender | null } | null {
  const path = join(runFolder, FILE);
  if (!existsSync(path)) return null;
  try {
    const [wish, by = ''] = readFileSync(path, 'utf8').split('\n');
    return { wish: wish === 'now' ? 'now' : 'after', sender: parseSender(parseJson(by)) };
  } catch {
    return null;
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
