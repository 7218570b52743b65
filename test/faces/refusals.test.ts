/** What a browser is kept from: pages of others, pages without the token, codes that have been used. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { CHROMIUM, collectProblems } from './browser.ts';
import { says, type WebPlace, withWeb } from './web-place.ts';

const FILES = toFiles('gates: []\nevent_loop: {prompt: Guard the secret}\n', 'echo LOOP_COMPLETE');

/** Serves a page of somebody else on another port, which is another origin of the same host. */
async function withOther(use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>other</title><h1>Other</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

/** The token of a page that has been opened, and the key of the only run. */
async function readSecrets({ open }: WebPlace): Promise<{ readonly token: string; readonly key: string }> {
  const { page } = await open();
  await says(page, '.runs', 'Guard the secret');
  const href = (await page.locator('.run-link').getAttribute('href')) ?? '';
  return { token: await page.evaluate<string>('sessionStorage.getItem("ralph-token")'), key: href.replace('#/run/', '') };
}

/** What a script gets of an address: a status and a text, or why it gets nothing. Run in a page. */
const FETCH = `async ([url, init]) => {
  try {
    const response = await fetch(url, init);
    return response.type === 'opaque' ? 'opaque: ' + (await response.text()) : response.status + ' ' + (await response.text()).slice(0, 300);
  } catch (error) {
    return error.name;
  }
}`;

describe.skipIf(CHROMIUM === '')('a browser', () => {
  test('lets no page of another origin read, steer, frame or run anything, not even with the token', async () => {
    await withWeb(FILES, async (place) => {
      await place.ralph('run', '--no-tui');
      const { token, key } = await readSecrets(place);
      const own = new URL('/', place.web.url).href;
      await withOther(async (origin) => {
        const page = await (await place.browser.newContext()).newPage();
        await page.goto(origin);
        const ask = (path: string, init: object = {}): Promise<string> =>
          page.evaluate<string>(`(${FETCH})(${JSON.stringify([new URL(path, own).href, init])})`);
        const authorization = `Bearer ${token}`;
        const order = { method: 'POST', body: JSON.stringify({ command: 'c', how: 'now' }) };
        const TRIES: readonly (readonly [path: string, init: object])[] = [
          ['/api/runs', { headers: { authorization } }],
          ['/api/runs', {}],
          [`/api/runs/${key}/frame`, { headers: { authorization } }],
          [`/api/stream?run=${key}`, { headers: { authorization } }],
          [`/api/runs/${key}/stop`, { ...order, headers: { authorization, 'content-type': 'application/json' } }],
          [`/api/runs/${key}/stop`, { ...order, headers: { 'content-type': 'text/plain' } }],
          ['/api/session', { method: 'POST', body: '{"code":"x"}', headers: { 'content-type': 'application/json' } }],
        ];
        for (const [path, init] of TRIES) {
          expect([path, await ask(path, init)]).toEqual([path, 'TypeError']);
          expect([path, await ask(path, { ...init, mode: 'no-cors' })]).toEqual([path, expect.stringMatching(/^(?:opaque: |TypeError)$/)]);
        }
        await page.evaluate(`document.body.innerHTML = '<iframe src="${own}"></iframe>'`);
        const [, frame] = page.frames();
        await expect.poll(() => frame?.url()).toMatch(/^(?:chrome-error:|about:blank)/);
      });
      expect((await place.ralph('status')).stdout).not.toContain('stop');
    });
  });

  test('without the token is shown the page and no data', async () => {
    await withWeb(FILES, async (place) => {
      await place.ralph('run', '--no-tui');
      const { key } = await readSecrets(place);
      const page = await (await place.browser.newContext()).newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const response = await page.goto(new URL(`/#/run/${key}`, place.web.url).href);
      await says(page, 'main', 'This address has no code. Open the address that ralph web printed last.');
      expect(asked.filter((path) => path !== '/')).toEqual([]);
      expect(await response?.text()).not.toContain('Guard the secret');
      for (const path of ['/api/runs', `/api/runs/${key}/frame`, '/api/stream', '/nothing', `/api/runs/${key}/text?turn=1.1&part=prompt`]) {
        const said = await page.evaluate<string>(`(${FETCH})(${JSON.stringify([path, {}])})`);
        expect([path, said]).toEqual([path, expect.stringMatching(/^401 .*web-token/)]);
      }
      expect(await page.evaluate('document.cookie')).toBe('');
    });
  });

  test('swaps a code once; the address keeps nothing of it, and a tab beside it needs none', async () => {
    await withWeb(FILES, async (place) => {
      const url = await place.web.createUrl();
      const context = await place.browser.newContext();
      const page = await context.newPage();
      const problems = collectProblems(page);
      await page.goto(url);
      await says(page, 'h1', 'Runs');
      expect(page.url()).toBe(new URL('/#/', url).href);
      expect(await page.evaluate('localStorage.length')).toBe(0);
      const beside = await context.newPage();
      await beside.goto(new URL('/', url).href);
      await says(beside, 'h1', 'Runs');
      const stranger = await (await place.browser.newContext()).newPage();
      await stranger.goto(url);
      await says(stranger, 'main', 'This code has been used, or is too old. Open the address that ralph web printed last.');
      expect(problems).toEqual([]);
    });
  });

  test('runs no script but the page’s own: none that is put into it, and no text as code', async () => {
    await withWeb(FILES, async (place) => {
      const { page, problems } = await place.open();
      expect(problems).toEqual([]);
      const tries = [
        'document.body.append(Object.assign(document.createElement("script"), { text: "hacked=1" }))',
        'document.body.innerHTML = "<img src=x onerror=hacked=1>"',
        'document.body.setAttribute("onclick", "hacked=1"); document.body.click()',
        'setTimeout("hacked=1", 0)',
        'trustedTypes.createPolicy("mine", { createHTML: (text) => text })',
        'document.body.append(Object.assign(document.createElement("img"), { src: "http://127.0.0.1:1/x" }))',
        'fetch("http://127.0.0.1:1/").catch(() => 0)',
      ];
      for (const text of tries) await page.evaluate(`(() => { try { ${text} } catch {} })()`);
      await page.waitForTimeout(300);
      expect(await page.evaluate('typeof hacked')).toBe('undefined');
      expect(problems.length).toBeGreaterThanOrEqual(tries.length - 1);
    });
  });
});
