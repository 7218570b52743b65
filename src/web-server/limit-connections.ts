import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps a server to so many connections: one more takes the place of the one that has waited longest without a request of somebody who has the token. A program
 * that holds connections open cannot keep the person out, and what a request with the token is being answered is never cut off. Before the page has its token, a program that
 * opens hundreds of connections at that very moment can cut it off: then it is opened again.
 *
 * @param isOwn whether a request is the person's
 * @returns to be called with each request
 */
export function limitConnections(
  server: Server,
  most: number,
  isOwn: (request: IncomingMessage) => boolean,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** Those that may go, the oldest first. */
  const loose = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    loose.add(socket);
    socket.once('close', () => {
      count -= 1;
      loose.delete(socket);
    });
    if (count <= most) return;
    const [oldest = socket] = loose;
    loose.delete(oldest);
    oldest.destroy();
  });
  return (request, response) => {
    const { socket } = request;
    if (!isOwn(request)) return;
    loose.delete(socket);
    response.once('close', () => void (socket.destroyed || loose.add(socket)));
  };
}
