import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { insist } from './nats-server.ts';

/** What is read as it comes. */
export interface Reading<Item> {
  readonly items: AsyncIterable<Item>;
  readonly stop: () => void;
}

/** A server that says nothing for two seconds does not give any more what was asked of it: in a cluster it can die without that anybody loses a connection. */
export const OFTEN = { expires: 4000, idle_heartbeat: 1000 };

const AGAIN_MS = 500;

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
