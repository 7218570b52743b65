import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Node.js tells of each socket as it begins to connect. */
const SOCKETS = channel('net.client.socket');

/**
 * Connects, and where that fails ends the sockets that were made for it: the client of NATS gives up a server that says nothing and leaves its socket open, which keeps the process alive for minutes.
 *
 * @throws what `connect` throws
 */
export async function connectOrEnd<Connection>(connect: () => Promise<Connection>): Promise<Connection> {
  const made = new AsyncLocalStorage<Socket[]>();
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void made.getStore()?.push((message as { readonly socket: Socket }).socket);
  SOCKETS.subscribe(note);
  try {
    return await made.run(sockets, connect);
  } catch (error) {
    for (const socket of sockets) socket.destroy();
    throw error;
  } finally {
    SOCKETS.unsubscribe(note);
  }
}
