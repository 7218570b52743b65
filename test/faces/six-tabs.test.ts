/** A browser opens six connections to a server and no more: its tabs share what they are told by. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { start } from '../e2e/ralph.ts';
import { CHROMIUM, collectProblems } from './browser.ts';
import { says, type WebPlace, withWeb } from './web-place.ts';

/** A turn each quarter of a second, until there is a file `end`. */
const toRun = (title: string): Record<string, string> =>
  toFiles(`gates: []\nevent_loop: {prompt: ${title}, max_iterations: 1000}\n`, 'sleep 0.25; [ -e end ] && echo LOOP_COMPLETE; true');
const RUNS = ['first', 'second', 'third', 'fourth'] as const;

const turnOf = async (page: Page): Promise<number> =>
  Number(/turn (\d+)/.exec((await page.locator('.run-header').textContent()) ?? '')?.[1]);

/** Waits until each of the tabs has shown something new. */
async function expectAllLive(tabs: readonly Page[]): Promise<void> {
  const before = await Promise.all(tabs.map(turnOf));
  for (const [index, tab] of tabs.entries())
    await expect.poll(() => turnOf(tab), { message: `tab ${index} goes on` }).toBeGreaterThan(before[index] ?? 0);
}

async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.run-header').waitFor();
  return page;
}

/** Starts the runs, each in a folder of its own. Returns the ways to end them. */
function startRuns(place: WebPlace): readonly (() => Promise<unknown>)[] {
  return RUNS.map((name) => {
    const folder = join(place.folder, name);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(toRun(name))) writeFileSync(join(folder, file), text, { mode: 0o755 });
    const run = start(folder, ['run', '--no-tui'], place.env);
    return () => {
      writeFileSync(join(folder, 'end'), '');
      return run.done;
    };
  });
}

describe.skipIf(CHROMIUM === '')('tabs of one browser', () => {
  test('six of them on the same run are live, and go on when the first is closed', async () => {
    await withWeb({}, async (place) => {
      const ends = startRuns(place);
      const { page, problems } = await place.open();
      const streams: string[] = [];
      page.context().on('request', (request) => {
        if (request.url().includes('/api/stream?run=')) streams.push(request.url());
      });
      await page.locator('.run-link', { hasText: 'first' }).click();
      await page.locator('.run-header').waitFor();
      const tabs = [page];
      while (tabs.length < 6) tabs.push(await openTab(page.context(), page.url()));
      await expectAllLive(tabs);
      expect(streams).toHaveLength(1);
      for (const left of [5, 4, 3]) {
        await tabs.shift()?.close();
        expect(tabs).toHaveLength(left);
        await expectAllLive(tabs);
      }
      expect(problems).toEqual([]);
      await Promise.all(ends.map((end) => end()));
      for (const tab of tabs) await says(tab, '.run-header', 'completed');
    });
  });

  test('on more runs than there are connections to spare are all live, and can all be used', async () => {
    await withWeb({}, async (place) => {
      const ends = startRuns(place);
      const { page } = await place.open();
      const context = page.context();
      await expect.poll(() => page.locator('.run-link').count()).toBe(RUNS.length);
      const addresses = await page.locator('.run-link').evaluateAll((links) => links.map((link) => String(Reflect.get(link, 'href'))));
      const tabs: Page[] = [];
      for (const address of [...addresses, ...addresses]) tabs.push(await openTab(context, address));
      const problems = tabs.map(collectProblems);
      await expectAllLive(tabs);
      for (const tab of tabs) {
        await tab.locator('.search input').fill('no such words');
        await tab.locator('.search input').press('Enter');
        await says(tab, '.search', 'Nothing found.');
      }
      await says(page, '.runs', RUNS[3]);
      await tabs.shift()?.close();
      await tabs.shift()?.close();
      await expectAllLive(tabs);
      await Promise.all(ends.map((end) => end()));
      for (const tab of tabs) await says(tab, '.run-header', 'completed');
      await expect.poll(() => page.locator('.runs .badge.done').count()).toBe(RUNS.length);
      expect(problems.flat()).toEqual([]);
    });
  });
});
