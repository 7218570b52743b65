import { type FSWatcher, watch } from 'node:fs';

const POLL_MS = 500;

/**
 * Calls `look` when something in a folder changes, from time to time where watching does not work, and once at the beginning.
 *
 * @returns a function that ends it
 */
export function watchFolder(folder: string, look: () => void): () => void {
  const watcher = tryWatch(folder, look);
  const poll = setInterval(look, POLL_MS);
  poll.unref();
  look();
  return () => {
    clearInterval(poll);
    watcher?.close();
  };
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
