import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { createAccess } from './access.ts';
import { answerRefused } from './answer.ts';
import { checkRequest, toOwnHosts } from './check-request.ts';
import type { StreamTimes } from './event-stream.ts';
import { limitConnections } from './limit-connections.ts';
import { toRefused } from './refused.ts';
import { createRoutes, type Routes, WrongMethod } from './routes.ts';
import type { ServedRuns, WebPage } from './served-runs.ts';

export interface WebServerOrder {
  readonly page: WebPage;
  readonly source: ServedRuns;
  /** An IP address of this machine. */
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Default: a new one, which nobody knows. */
  readonly token?: string;
  /** Whether orders are carried out. */
  readonly canSteer: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Is told of errors that are nobody's mistake but the server's. */
  readonly onFault: (error: unknown) => void;
  readonly times?: StreamTimes;
  /** How long a request may take to come in; default: ten seconds, tests are faster. */
  readonly requestMs?: number;
}

export interface WebServer {
  readonly port: number;
  /** The address of the page with a new code, which counts once and for ten minutes. */
  readonly createUrl: () => string;
  /** Ends it; streams are closed. */
  readonly close: () => Promise<void>;
}

const REQUEST_MS = 10_000;
/** How often it is looked which requests took longer. */
const LOOK_MS = 1000;
const MAX_HEADER_BYTES = 16 << 10;
const MAX_CONNECTIONS = 256;

/** @throws RalphError `web-port`, `web-address` where it cannot listen there */
export async function startWebServer(order: WebServerOrder): Promise<WebServer> {
  const { address, now, requestMs = REQUEST_MS } = order;
  const access = createAccess(now, order.token);
  const routes = createRoutes({ ...order, access });
  const own: { hosts: readonly string[] } = { hosts: [] };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, requestMs),
    },
    (request, response) => {
      noteRequest(request, response);
      void answer(request, response);
    },
  );
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      checkRequest(toHead(request), own.hosts);
      await routes.answer(request, response);
    } catch (error) {
      refuse(response, error, order.onFault);
    }
  };
  const noteRequest = limitConnections(server, MAX_CONNECTIONS, ({ headers }) => access.admits(headers.authorization));
  const port = await listen(server, address, order.port);
  own.hosts = toOwnHosts(address, port);
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    port,
    createUrl: () => `http://${host}${port === 80 ? '' : `:${port}`}/#code=${access.createCode()}`,
    close: () => close(server, routes),
  };
}

function toHead({ url = '', headers, rawHeaders }: IncomingMessage) {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const site = headers['sec-fetch-site'];
  return { url, hosts, origin: headers.origin, site: typeof site === 'string' ? site : site?.[0] };
}

function refuse(response: ServerResponse, error: unknown, onFault: (error: unknown) => void): void {
  const refused = toRefused(error);
  if (refused.status === 500) onFault(error);
  if (response.headersSent) response.destroy();
  else answerRefused(response, refused, refused instanceof WrongMethod ? refused.allow : undefined);
}

function listen(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, address, port)));
    server.listen({ host: address, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function toListenError(error: unknown, address: string, port: number): RalphError {
  const code = toErrorCode(error);
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new RalphError({
      code: 'web-port',
      what: code === 'EACCES' ? `Port ${port} may not be used.` : `Something listens on port ${port} of ${address} already.`,
      fix: 'Take any that is free: ralph web --port 0',
    });
  return new RalphError({
    code: 'web-address',
    what: `Nobody can listen on ${address} here (${code}).`,
    fix: 'Name an address of this machine, or leave --listen out.',
    cause: error,
  });
}

async function close(server: Server, routes: Routes): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  routes.end();
  // Whoever does not take the last words is not waited for.
  setTimeout(() => server.closeAllConnections(), 100).unref();
  server.closeIdleConnections();
  await closed;
}
