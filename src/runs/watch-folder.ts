import { type FSWatcher, watch } from 'node:fs';
import { tryOr } from '../core/values/result.ts';

const POLL_MS = 500;

/**
 * Calls `look` when something in a folder changes, from time to time where watching does not work, and once at the beginning.
 *
 * @returns a function that ends it
 */
export function watchFolder(folder: string, look: () => void): () => void {
  const poll = setInterval(look, POLL_MS);
  poll.unref();
  look();
  let watcher: FSWatcher | null = null;
  // What watches takes the engine milliseconds to load: whatever the first look gave comes before it. What changed in between, the second look finds.
  const start = setTimeout(() => {
    watcher = tryWatch(folder, look);
    look();
  }, 0);
  start.unref();
  return () => {
    clearInterval(poll);
    clearTimeout(start);
    watcher?.close();
  };
}

function tryWatch(folder: string, look: () => void): FSWatcher | null {
  return tryOr(() => {
    const watcher = watch(folder, { persistent: false }, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  }, null);
}
