import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SearchSpec } from '../../../core/tools/tools-spec.ts';
import { createRedactor } from '../../../process/redact.ts';
import { makeContext } from '../../tool/tool-fixtures.ts';
import { webSearchTool } from '../web-search.ts';
import { createSearch } from './create-search.ts';

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

let server: Server;
let base: string;
let asked: Asked[];
let say: Said;

beforeEach(async () => {
  asked = [];
  say = {};
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', headers } = request;
      asked.push({ method, url: new URL(request.url ?? '', base), headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(say.status ?? 200, { 'content-type': 'application/json', ...say.headers });
      response.end(typeof say.body === 'string' ? say.body : JSON.stringify(say.body ?? {}));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => new Promise((done) => server.close(done)));

const SECRET = 'key-of-the-search-0123456789';

/** Calls the tool as a model does, with what the environment holds. */
async function call(spec: Omit<SearchSpec, 'baseUrl'>, args: object, env: Readonly<Record<string, string>> = {}) {
  const search = createSearch({ baseUrl: base, ...spec }, env);
  return webSearchTool.run({ query: 'x', limit: 8, domains: [], ...args }, { ...makeContext(), search });
}

describe('a search', () => {
  it('with SearXNG asks the configured address for JSON, a private one too, and tells what it found', async () => {
    say = { body: { results: [{ title: 'One', url: 'https://example.org/1', content: 'The first.' }, { title: 'no address' }, 7] } };
    const { text, isError } = await call({ provider: 'searxng' }, { query: 'a & b', domains: ['example.org'] });
    expect([isError, asked.length]).toEqual([false, 1]);
    expect([asked[0]?.method, asked[0]?.url.pathname]).toEqual(['GET', '/search']);
    expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toEqual({ q: 'a & b (site:example.org)', format: 'json' });
    expect(text).toMatch(/^1 hit\n[\s\S]*1\. One\n {3}https:\/\/example\.org\/1\n {3}The first\./);
  });

  it('keeps the path of the address, with a slash at its end or without', async () => {
    say = { body: { results: [] } };
    for (const end of ['', '/', '//']) {
      await createSearch({ provider: 'searxng', baseUrl: `${base}/searx${end}` }, {}).find(
        { query: 'x', limit: 1, domains: [] },
        AbortSignal.timeout(5000),
      );
    }
    expect(asked.map(({ url }) => url.pathname)).toEqual(['/searx/search', '/searx/search', '/searx/search']);
  });

  it('with Brave sends the key in its header and in nothing else', async () => {
    say = { body: { web: { results: [{ title: 'One', url: 'https://example.org/', description: 'First.' }] } } };
    const { text } = await call({ provider: 'brave' }, { limit: 3 }, { BRAVE_API_KEY: ` ${SECRET}\n` });
    expect(text).toContain('First.');
    expect(asked[0]?.headers).toMatchObject({ 'x-subscription-token': SECRET });
    expect(asked[0]?.url.href).not.toContain(SECRET);
    expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toMatchObject({ q: 'x', count: '3' });
  });

  it('with Brave finds nothing where the answer has no part for the web', async () => {
    expect((await call({ provider: 'brave' }, {}, { BRAVE_API_KEY: SECRET })).text).toBe('Nothing was found.');
  });

  it('with Tavily gives the domains in a field of their own, and the key as bearer token from the variable that is named', async () => {
    say = { body: { results: [{ title: 'One', url: 'https://example.org/', content: 'First.' }] } };
    await call(
      { provider: 'tavily', apiKeyEnv: 'MY_SEARCH' },
      { domains: ['example.org'] },
      { MY_SEARCH: SECRET, TAVILY_API_KEY: 'another' },
    );
    expect(asked[0]).toMatchObject({ method: 'POST', headers: { authorization: `Bearer ${SECRET}` } });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ query: 'x', max_results: 8, include_domains: ['example.org'] });
  });

  it.each<[string, Record<string, string>]>([
    ['that is not there', {}],
    ['that is empty', { BRAVE_API_KEY: '  ' }],
    ['that could not stand in a header', { BRAVE_API_KEY: 'a\r\nb: c' }],
  ])('with a key %s is not offered, says so, and asks nobody', async (_, env) => {
    const search = createSearch({ provider: 'brave', baseUrl: base }, env);
    expect(webSearchTool.whyMissing?.({ env, quality: {}, search })).toBe('no key for brave in BRAVE_API_KEY');
    expect(await call({ provider: 'brave' }, {}, env)).toMatchObject({ isError: true, text: expect.stringContaining('BRAVE_API_KEY') });
    expect(asked).toEqual([]);
  });

  it.each<[string, Said, RegExp]>([
    ['redirects', { status: 302, headers: { location: 'http://169.254.169.254/' } }, /redirects \(302\), which is not followed/],
    ['refuses JSON', { status: 403 }, /refused \(403\)\.\n.*search\.formats/],
    ['is asked too often', { status: 429 }, /refused \(429\)\.\n.*wait a little/],
    ['is somewhere else', { status: 404 }, /refused \(404\)\.\n.*base_url/],
    ['answers with a page', { body: '<html>\u001b[2J' }, /not understood: <html>/],
    ['answers with another form', { body: { results: 'none' } }, /not understood/],
  ])('that %s is an error with advice', async (_, said, words) => {
    say = said;
    const { text, isError } = await call({ provider: 'searxng' }, {});
    expect([isError, asked.length]).toEqual([true, 1]);
    expect(text).toMatch(words);
    expect(text).not.toContain('\u001b');
  });

  it('never shows the beginning of a key that an answer repeats, where the answer is cut', async () => {
    say = { body: `${'x'.repeat(188)}${SECRET}` };
    const env = { BRAVE_API_KEY: SECRET };
    const { text } = await call({ provider: 'brave' }, {}, env);
    expect(createRedactor(env)(text)).not.toContain(SECRET.slice(0, 6));
  });

  it('whose server is gone says so', async () => {
    await new Promise((done) => server.close(done));
    expect(await call({ provider: 'searxng' }, {})).toMatchObject({ isError: true, text: expect.stringContaining('refused') });
    server = createServer().listen(0);
  });
});
