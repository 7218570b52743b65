import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { postNews } from './post-news.ts';

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly text: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server on loopback that answers so; `null`: never. */
async function serve(status: number | null, headers: Readonly<Record<string, string>> = {}): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += String(piece);
    });
    request.on('end', () => {
      got.push({ headers: request.headers, method: request.method ?? '', text });
      if (status !== null) response.writeHead(status, headers).end('thank you');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret?key=1`, got };
}

describe('news for an address', () => {
  it('are one POST of JSON, signed over exactly what was sent', async () => {
    const { url, got } = await serve(204);
    expect(await postNews({ url, secret: 'k', body: { event: 'ended', detail: 'größer' } })).toBeNull();
    expect(got).toHaveLength(1);
    const [{ headers, method, text } = { headers: {}, method: '', text: '' }] = got;
    expect([method, headers['content-type'], JSON.parse(text)]).toEqual(['POST', 'application/json', { event: 'ended', detail: 'größer' }]);
    expect(headers['x-ralph-signature']).toBe(`sha256=${createHmac('sha256', 'k').update(text).digest('hex')}`);
  });

  it('bear no signature where there is no secret', async () => {
    const { url, got } = await serve(200);
    await postNews({ url, secret: null, body: {} });
    expect(got[0]?.headers['x-ralph-signature']).toBeUndefined();
  });

  it('go to that address alone: a redirect is a failure, and is not followed', async () => {
    const other = await serve(200);
    const { url } = await serve(307, { Location: other.url });
    expect(await postNews({ url, secret: 'k', body: {} })).toMatch(/^http:\/\/127\.0\.0\.1:\d+ could not be told the news \(HTTP 307\)\.$/);
    expect(other.got).toEqual([]);
  });

  it('tell of a refusal, of no answer and of nobody there, and never of the path, which may be secret', async () => {
    const refused = await serve(500);
    const silent = await serve(null);
    const gone = await serve(200);
    servers.pop()?.close();
    const said = [
      await postNews({ url: refused.url, secret: null, body: {} }),
      await postNews({ url: silent.url, secret: null, body: {}, timeoutMs: 50 }),
      await postNews({ url: silent.url, secret: null, body: {}, abort: AbortSignal.abort() }),
      await postNews({ url: gone.url, secret: null, body: {} }),
      await postNews({ url: 'no address', secret: null, body: {} }),
    ];
    expect(said.map((text) => /\((.*)\)/.exec(text ?? '')?.[1])).toEqual([
      'HTTP 500',
      'no answer in time',
      'stopped',
      'ECONNREFUSED',
      'ERR_INVALID_URL',
    ]);
    expect(said.join()).not.toContain('s3cret');
  });
});
