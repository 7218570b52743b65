import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBlobReader } from './read-blob.ts';

type Store = Parameters<typeof createBlobReader>[0];

/** A store with one object that comes as it is told. `stopped`: so often its reading was ended. */
function createStore(size: number, come: (give: (part: Uint8Array) => void, controller: ReadableStreamDefaultController) => void) {
  const stopped: string[] = [];
  const get = async (name: string): Promise<unknown> => ({
    info: { size },
    error: new Promise(() => undefined),
    data: new ReadableStream({
      start: (controller) => come((part) => controller.enqueue(part), controller),
      cancel: () => void stopped.push(name),
    }),
  });
  return { store: { get } as unknown as Store, stopped };
}

describe('an object of a store', () => {
  test('comes part by part, each of which is told of once, however often it is tried', async () => {
    let tries = 0;
    const { store } = createStore(5, (give, controller) => {
      tries += 1;
      give(Buffer.from('abc'));
      if (tries < 3) return controller.error(new Error('the line broke'));
      give(Buffer.from('de'));
      controller.close();
    });
    const told: (number | undefined)[] = [];
    const read = createBlobReader(store, 'a', { onBytes: (bytes) => void told.push(bytes) });
    await expect(read()).rejects.toThrow('the line broke');
    await expect(read()).rejects.toThrow('the line broke');
    expect(Buffer.from((await read()) ?? []).toString()).toBe('abcde');
    expect(told.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)).toBeLessThanOrEqual(5);
  });

  test('is given up where nothing of it comes any more, and its reading ends', async () => {
    const { store, stopped } = createStore(9, (give) => give(Buffer.from('abc')));
    await expect(createBlobReader(store, 'a', {}, 50)()).rejects.toThrow('nothing of a file came for');
    expect(stopped).toEqual(['a']);
  });

  test('is given up where the store says nothing of it', async () => {
    const store = { get: () => new Promise(() => undefined) } as unknown as Store;
    await expect(createBlobReader(store, 'a', {}, 50)()).rejects.toThrow('nothing of a file came for');
  });

  test('is none where nobody wants it any more', async () => {
    const { store, stopped } = createStore(9, () => undefined);
    const over = new AbortController();
    const reading = createBlobReader(store, 'a', { signal: over.signal })();
    await pause(20);
    over.abort();
    expect([await reading, stopped]).toEqual([null, ['a']]);
  });

  test('is none where it is another one than it is said to be', async () => {
    const { store } = createStore(9, (_, controller) => controller.error(new Error('received a corrupt object, digests do not match')));
    expect(await createBlobReader(store, 'a')()).toBe(null);
  });

  test('is refused where it is said to be too large, and where it is', async () => {
    const fix = { code: 'fleet-too-large' };
    for (const size of [9, 2]) {
      const { store } = createStore(size, (give) => give(Buffer.alloc(9)));
      await expect(createBlobReader(store, 'a', { maxBytes: 8 })()).rejects.toMatchObject(fix);
    }
  });
});
