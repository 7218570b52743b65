import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext, type FakeContext } from '../fixtures.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-web-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The page as a build leaves it, and no runs. */
function createWorld(): FakeContext {
  mkdirSync(join(folder, 'dist/page'), { recursive: true });
  writeFileSync(join(folder, 'dist/page/web.html'), '<!doctype html><title>Ralph</title>');
  writeFileSync(join(folder, 'dist/page/web.json'), JSON.stringify({ script: ['sha256-c2NyaXB0', "x'; script-src *"], style: [] }));
  const createRunCatalog: AppApi['createRunCatalog'] = () => ({ list: async () => ({ runs: [], at: 0, unread: [] }), open: () => null });
  return createFakeContext({ app: { findPackageFolder: () => folder, createRunCatalog } });
}

async function until(look: () => boolean): Promise<void> {
  for (let count = 0; !look(); count += 1) {
    if (count > 500) throw new Error('It did not come to be.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Swaps the code of an address for the token, and asks something with it. */
async function ask(url: string, path: string) {
  const { origin, hash } = new URL(url);
  const body = JSON.stringify({ code: hash.slice('#code='.length) });
  const swapped = await fetch(`${origin}/api/session`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const { token } = (await swapped.json()) as { readonly token?: string };
  const answer = await fetch(`${origin}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  return { swapped: swapped.status, status: answer.status, json: await answer.json() };
}

it('prints the address of the page, and serves it until Ctrl+C', async () => {
  const { context, out, err, signal } = createWorld();
  const done = performCommandLine(['web', '--port', '0'], context);
  await until(() => err() !== '');
  const [url = ''] = out().split('\n');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
  const page = await fetch(url);
  expect(await page.text()).toContain('<title>Ralph</title>');
  expect(page.headers.get('content-security-policy')).toContain("script-src 'sha256-c2NyaXB0'; style-src 'none';");
  expect(await ask(url, '/api/runs')).toEqual({ swapped: 200, status: 200, json: { runs: [], at: 0, unread: [], canSteer: true } });
  expect((await ask(url, '/api/runs')).swapped).toBe(401);
  signal('SIGUSR2');
  const [, second = ''] = out().split('\n');
  expect((await ask(second, '/api/runs')).swapped).toBe(200);
  expect(err()).toContain(`kill -USR2 ${process.pid}`);
  signal('SIGINT');
  expect(await done).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

it('where runs are only shown, both the list and the words say so', async () => {
  const { context, out, err, signal } = createWorld();
  const done = performCommandLine(['web', '--port', '0', '--read-only'], context);
  await until(() => err() !== '');
  expect((await ask(out().trim(), '/api/runs')).json).toMatchObject({ canSteer: false });
  expect(err()).toContain('Runs are only shown there.');
  signal('SIGTERM');
  expect(await done).toBe(0);
});

it('a page that was not built is a plain error', async () => {
  const { context, err } = createWorld();
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(await performCommandLine(['web', '--port', '0'], context)).toBe(1);
  expect(err()).toContain('npm run build');
});

it('a port that was named and is taken is a plain error', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { readonly port: number };
  const { context, err } = createWorld();
  expect(await performCommandLine(['web', '--port', String(port)], context)).toBe(1);
  expect(err()).toContain(`Something listens on port ${port}`);
  other.close();
});
