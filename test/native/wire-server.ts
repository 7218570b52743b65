import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicFrames } from './wire-anthropic.ts';
import { chatFrames } from './wire-chat.ts';
import { geminiFrames } from './wire-gemini.ts';
import { responsesFrames } from './wire-responses.ts';
import type { Body, Dialect, WireReply } from './wire-types.ts';

/** One request as it came. */
export interface WireRequest {
  readonly dialect: Dialect;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** A provider on loopback that speaks four wire formats: it answers what `decide` says. */
export interface WireServer {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  readonly close: () => Promise<void>;
}

const FRAMES = { anthropic: anthropicFrames, responses: responsesFrames, chat: chatFrames, gemini: geminiFrames } as const;

/** Listens on a free port. `decide` is given the request and its number, from 1 on. */
export async function startWireServer(decide: (request: WireRequest, number: number) => WireReply): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const path = incoming.url ?? '';
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Body;
      const request = { dialect: toDialect(path), path, headers: incoming.headers, body };
      requests.push(request);
      const number = requests.length;
      const reply = decide(request, number);
      setTimeout(() => answer(response, request.dialect, reply, number), reply.delayMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toDialect(path: string): Dialect {
  if (path.includes('/messages')) return 'anthropic';
  if (path.includes('/responses')) return 'responses';
  return path.includes('/chat/completions') ? 'chat' : 'gemini';
}

function answer(response: ServerResponse, dialect: Dialect, reply: WireReply, number: number): void {
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body ?? { error: { message: 'no' } }));
    return;
  }
  const frames = FRAMES[dialect](reply, number);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  if (reply.cutAfter === undefined) {
    response.end(frames.join(''));
    return;
  }
  response.write(frames.slice(0, reply.cutAfter).join(''));
  // The first frames are to arrive before the connection breaks.
  setTimeout(() => response.destroy(), 30);
}
