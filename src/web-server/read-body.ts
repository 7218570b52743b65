import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject, parseJson } from '../core/values/json.ts';
import { Refused, toBadRequest } from './refused.ts';

const MAX_BYTES = 64 << 10;

/**
 * The JSON object that a request brings.
 *
 * @throws Refused for another type, more than 64 KB, anything that is no JSON object
 */
export async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(type) || encoding !== undefined)
    throw new Refused(415, 'web-type', 'Orders are JSON: Content-Type: application/json');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw toTooLong();
  const value = parseJson((await readBytes(request)).toString('utf8'));
  if (!isJsonObject(value)) throw toBadRequest('The body is no JSON object.');
  return value;
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) chunks.push(chunk);
      else {
        request.pause();
        reject(toTooLong());
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(toBadRequest('The request was cut off.')));
    request.once('aborted', () => reject(toBadRequest('The request was cut off.')));
  });
}

function toTooLong(): Refused {
  return new Refused(413, 'web-size', 'That is more than 64 KB.');
}
