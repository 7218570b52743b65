import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Node.js tells of each socket as it begins to connect. */
const SOCKETS = channel('net.client.socket');

/**
 * Connects, and where that fails ends the sockets that were made for it: the client of NATS gives up a server that says nothing and leaves its socket open, which keeps the process alive for minutes.
 * The client cannot be told to give up: its sockets are ended under it, and it then fails by itself.
 *
 * @param signal after its abort nothing is waited for, and no socket is left
 * @throws what `connect` throws
 */
export async function connectOrEnd<Connection>(connect: () => Promise<Connection>, signal?: AbortSignal): Promise<Connection> {
  const made = new AsyncLocalStorage<Socket[]>();
  const sockets: Socket[] = [];
  const note = (message: unknown): void => {
    const mine = made.getStore();
    if (mine !== sockets) return;
    mine.push((message as { readonly socket: Socket }).socket);
    // One that is ended before it has begun would begin all the same.
    if (signal?.aborted === true) queueMicrotask(endAll);
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  SOCKETS.subscribe(note);
  signal?.addEventListener('abort', endAll);
  try {
    return await made.run(sockets, connect);
  } catch (error) {
    endAll();
    throw error;
  } finally {
    signal?.removeEventListener('abort', endAll);
    SOCKETS.unsubscribe(note);
  }
}
