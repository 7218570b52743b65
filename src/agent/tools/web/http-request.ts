import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { accept, type Result, refuse } from '../../../core/values/result.ts';
import type { HostAddress } from './web-address.ts';

/** One request, without following redirects. */
export interface HttpOrder {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The addresses to connect to; absent: what the machine finds. */
  readonly addresses?: readonly HostAddress[];
  /** Most bytes of the answer, counted after decompression. */
  readonly maxBytes: number;
  /** Ends everything: the search, the connection, a server that sends a byte a minute. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; of several the first. */
  readonly header: (name: string) => string | undefined;
  /** Empty for a redirect: its body is not read. */
  readonly body: Buffer;
}

const MAX_HEADER_BYTES = 16 << 10;
const ACCEPT_ENCODING = 'gzip, deflate, br';

class TooLargeError extends Error {}

/** Sends one request; refused is in a few words why there is no answer. Never rejects. */
export async function sendRequest(order: HttpOrder): Promise<Result<HttpAnswer, string>> {
  try {
    const message = await open(order);
    const status = message.statusCode ?? 0;
    const header = (name: string): string | undefined => [message.headers[name]].flat()[0];
    if (status >= 300 && status < 400) {
      message.destroy();
      return accept({ status, header, body: Buffer.alloc(0) });
    }
    const decoder = createDecoder(header('content-encoding') ?? '');
    if (decoder === null) {
      message.destroy();
      return refuse(`the answer is packed in an unknown way (${(header('content-encoding') ?? '').slice(0, 60)})`);
    }
    return accept({ status, header, body: await readBody(message, decoder, order) });
  } catch (error) {
    return refuse(explain(error, order));
  }
}

function open({ url, method, headers, body, addresses, signal }: HttpOrder): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((done, failed) => {
    const request = send(
      url,
      {
        method,
        headers: {
          'accept-encoding': ACCEPT_ENCODING,
          ...headers,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        // Of its own: a connection that is kept might lead to an address that was checked for another name.
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
        ...(addresses !== undefined && { lookup: createPinnedLookup(addresses) }),
      },
      done,
    );
    request.on('error', failed);
    request.end(body);
  });
}

/** Gives out what was found before, whatever is asked. */
function createPinnedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, options, done) => {
    const [first] = addresses;
    if (options.all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

/** One way of packing at most: packed many times over, a few bytes become anything. */
function createDecoder(encoding: string): Transform | null {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return new PassThrough();
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'br') return createBrotliDecompress();
  return name === 'deflate' ? createInflate() : null;
}

async function readBody(message: IncomingMessage, decoder: Transform, { maxBytes, signal }: HttpOrder): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TooLargeError();
      chunks.push(chunk);
    }
  };
  try {
    await pipeline(message, decoder, collect, { signal });
  } catch (error) {
    // Breaking off in the middle ends the other parts with errors of their own, and one of these may be told first.
    throw bytes > maxBytes ? new TooLargeError() : error;
  }
  return Buffer.concat(chunks);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ETIMEDOUT: 'the server does not answer',
  ENOTFOUND: 'the name was not found',
  HPE_HEADER_OVERFLOW: 'its headers are too long',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

function explain(error: unknown, { signal, maxBytes }: HttpOrder): string {
  if (error instanceof TooLargeError) return `the answer is larger than ${maxBytes / 1_000_000} MB`;
  if (signal.aborted) return 'it took too long or was stopped';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code === 'ERR__ERROR_FORMAT_PADDING_1')
    return 'the answer is packed in a broken way';
  if (code.startsWith('HPE_')) return PROBLEMS[code] ?? 'the answer is no HTTP';
  return PROBLEMS[code] ?? `the request failed (${code})`;
}
