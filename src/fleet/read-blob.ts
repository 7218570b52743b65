import { toErrorMessage } from '../core/values/errors.ts';
import type { BlobReading } from '../ports/fleet.ts';
import type { NatsServer } from './nats-server.ts';
import { toTooLarge } from './too-large.ts';

/** Whoever may write files may name parts that are not there: nothing for so long, and no more comes. */
const IDLE_MS = 30_000;

/**
 * Reads an object of a store part by part, where the library's own `getBlob` takes everything into memory and says nothing meanwhile. What comes once more at a later try is
 * not told of again.
 *
 * @returns tries it: `null` where it is not there, is another one than it is said to be, or is not wanted any more; rejects where it breaks, and where it is too large
 */
export function createBlobReader(
  blobs: Pick<NatsServer['blobs'], 'get'>,
  name: string,
  { maxBytes = Number.POSITIVE_INFINITY, onBytes, signal }: BlobReading = {},
  idleMs = IDLE_MS,
): () => Promise<Uint8Array | null> {
  let most = 0;
  const wait = <Result>(result: Promise<Result>): Promise<Result | 'unwanted'> => waitFor(result, idleMs, signal);
  const readAll = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> => {
    const parts: Uint8Array[] = [];
    for (let bytes = 0; ; ) {
      const next = await wait(reader.read());
      if (next === 'unwanted') return null;
      if (next.value === undefined) return Buffer.concat(parts);
      bytes += next.value.length;
      // What is said of its size may be another one.
      if (bytes > maxBytes) throw toTooLarge('A file', maxBytes);
      parts.push(next.value);
      if (bytes > most) onBytes?.(bytes - most);
      most = Math.max(most, bytes);
    }
  };
  return async () => {
    if (signal?.aborted === true) return null;
    const found = await wait(blobs.get(name));
    if (found === null || found === 'unwanted') return null;
    // Reading it tells of it as well.
    found.error.catch(() => undefined);
    const reader = found.data.getReader();
    try {
      if (found.info.size > maxBytes) throw toTooLarge('A file', maxBytes);
      return await readAll(reader);
    } catch (error) {
      // The same would come again.
      if (toErrorMessage(error).includes('digests do not match')) return null;
      throw error;
    } finally {
      reader.cancel().catch(() => undefined);
    }
  };
}

/** Rejects where it takes too long. */
async function waitFor<Result>(result: Promise<Result>, idleMs: number, signal?: AbortSignal): Promise<Result | 'unwanted'> {
  let end: () => void = () => undefined;
  const ended = new Promise<'unwanted'>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing of a file came for ${Math.round(idleMs / 1000)} s`)), idleMs);
    const leave = (): void => resolve('unwanted');
    signal?.addEventListener('abort', leave);
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    };
  });
  try {
    return await Promise.race([result, ended]);
  } finally {
    end();
  }
}
