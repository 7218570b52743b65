import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { insist } from './nats-server.ts';

/** What is read as it comes. */
export interface Reading<Item> {
  readonly items: AsyncIterable<Item>;
  readonly stop: () => void;
}

const AGAIN_MS = 500;
/** A server says so often that there is nothing new, and is asked for more so often. */
const OFTEN = { idle_heartbeat: 1000, expires: 4000 };

/** What says nothing for so long is read anew. */
const SILENT_MS = 3000;

/**
 * Begins to read what a consumer gives. In a cluster the server that has the consumer can die without that a connection is lost, and then nobody knows of that consumer: what falls silent is read no more,
 * so that it is read anew. The client would notice, too, but by a clock that can be put back.
 */
export async function consume(consumer: Consumer): Promise<Reading<JsMsg>> {
  const items = await consumer.consume(OFTEN);
  let heardAt = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - heardAt > SILENT_MS) stop();
  }, SILENT_MS / 3);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    items.stop();
    consumer.delete().catch(() => undefined);
  };
  const hear = async (): Promise<void> => {
    for await (const { type } of items.status()) if (type === 'heartbeat') heardAt = performance.now();
  };
  void hear().catch(() => undefined);
  return { items: noting(items, () => (heardAt = performance.now())), stop };
}

async function* noting<Item>(items: AsyncIterable<Item>, note: () => void): AsyncIterable<Item> {
  for await (const item of items) {
    note();
    yield item;
  }
}

/**
 * Reads until it is closed. A server that went away forgets who was reading, and its client finds that out late: so after each new connection it is read anew.
 *
 * @param open begins to read, where it was left
 * @returns ends it; resolves when nothing more is taken
 */
export function keepReading<Item>(
  connection: NatsConnection,
  open: () => Promise<Reading<Item>>,
  take: (item: Item) => void,
): () => Promise<void> {
  let isClosed = false;
  let reading: Reading<Item> | null = null;
  const read = async (): Promise<void> => {
    reading = await insist(open);
    if (isClosed) reading.stop();
    for await (const item of reading.items) take(item);
  };
  const readOn = async (): Promise<void> => {
    while (!isClosed) {
      await read().catch(() => undefined);
      if (!isClosed) await pause(AGAIN_MS);
    }
  };
  const lookOut = async (): Promise<void> => {
    for await (const { type } of connection.status()) if (type === 'reconnect') reading?.stop();
  };
  const done = readOn();
  void lookOut().catch(() => undefined);
  return async () => {
    isClosed = true;
    reading?.stop();
    await Promise.race([done, connection.closed()]);
  };
}
