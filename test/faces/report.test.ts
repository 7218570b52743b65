/** The file that `ralph report` writes, opened from disk in a real browser without a network. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, collectProblems, openBrowser } from './browser.ts';

const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));

describe.skipIf(CHROMIUM === '')('a report', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-faces-')));
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), TMPDIR: home, NO_COLOR: '1' };
  let browser: Browser;
  let page: Page;
  let folder: string;
  let problems: readonly string[];

  const ralph = (...args: string[]): string => execFileSync(process.execPath, [RALPH, ...args], { cwd: folder, env, encoding: 'utf8' });
  const slider = (): Promise<string> => page.getByRole('slider').inputValue();

  beforeAll(async () => {
    execFileSync(process.execPath, [RALPH, 'demo', '-q'], { cwd: home, env });
    folder = join(home, readdirSync(home).find((name) => name.startsWith('ralph-demo-')) ?? '');
    ralph('report', '--with-outputs', '-o', 'run.html');
    browser = await openBrowser();
    const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    problems = collectProblems(page);
    await page.goto(pathToFileURL(join(folder, 'run.html')).href);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(home, { recursive: true, force: true });
  });

  test('shows the same numbers as the CLI, at every input', async () => {
    const { lastSeq } = JSON.parse(ralph('status', '--at', '1', '--format', 'json')) as { lastSeq: number };
    expect(Number(await slider())).toBe(lastSeq);
    for (let seq = 1; seq <= lastSeq; seq += 1) {
      const status = JSON.parse(ralph('status', '--at', String(seq), '--format', 'json')) as {
        totals: { iterations: number };
        attention: { state: string; evidence: string };
        turns: unknown[];
      };
      await page.getByRole('slider').fill(String(seq));
      await page.getByText(`input ${seq} of ${lastSeq}`, { exact: true }).waitFor();
      await expect.poll(() => page.locator('.now').textContent()).toContain(status.attention.evidence);
      const word = status.attention.state === 'working' ? 'running' : status.attention.state === 'done' ? 'completed' : null;
      expect(await page.locator('.run-header .facts-line').textContent()).toContain(word ?? status.attention.state.replace('_', ' '));
      expect(await page.locator('.run-header .meter').first().getAttribute('title')).toMatch(
        new RegExp(`^${status.totals.iterations} of `),
      );
      expect(await page.locator('#turns .count').textContent()).toBe(String(status.turns.length));
    }
  });

  test('has what its agents were asked, said, called and changed', async () => {
    await page.getByRole('slider').fill('17');
    await page.getByRole('button', { name: /4 builder/ }).click();
    await page.getByRole('tab', { name: 'prompt' }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain('builder');
    await page.getByRole('tab', { name: 'diff' }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain('src/cart.mjs');
    await page.getByRole('tab', { name: 'calls' }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain('✓ ok');
  });

  test('lists no key that does nothing in a file', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    expect(await dialog.textContent()).toContain('back to where a turn began');
    expect(await dialog.textContent()).not.toMatch(/tell|answer|stop|list of runs/);
    await page.keyboard.press('Escape');
  });

  test('without outputs names what it leaves out', async () => {
    ralph('report', '-o', 'short.html');
    expect(statSync(join(folder, 'short.html')).size).toBeLessThan(1_000_000);
    const other = await (await browser.newContext({ offline: true })).newPage();
    await other.goto(pathToFileURL(join(folder, 'short.html')).href);
    await other.getByRole('tab', { name: 'output' }).click();
    await expect.poll(() => other.getByRole('tabpanel').textContent()).toContain('ralph report --with-outputs');
    await other.close();
  });

  test('breaks none of its own rules, and loads nothing', () => {
    expect(problems).toEqual([]);
    expect(readFileSync(join(folder, 'run.html'), 'utf8')).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});
