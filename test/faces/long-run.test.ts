/** A run of 100,000 inputs in the page. What it takes is printed and not judged: the machine may be busy. What fails is what does not come to be at all. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CHROMIUM } from './browser.ts';
import { writeLongRun } from './long-journal.ts';
import { createRandom } from './random.ts';
import { says, withWeb } from './web-place.ts';

const INPUTS = 100_000;
const SEEKS = 30;
const SCROLLS = 40;

async function measure(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Megabytes that a process holds. */
const toMegabytes = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

async function readHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return Math.round((metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6);
}

function toText(times: readonly number[]): string {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (share: number): string => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`;
  return `median ${at(0.5)}, p95 ${at(0.95)}`;
}

describe.skipIf(CHROMIUM === '')(`a run of ${INPUTS} inputs`, () => {
  test('opens, is moved in, read and searched', async () => {
    await withWeb({}, async (place) => {
      writeLongRun(place.folder, { runId: '20261120-210000-aaaaa', inputs: INPUTS, seed: 3, keptTurns: 2000 });
      const { pid = 0 } = place.web.child;
      const figures: Record<string, string> = { 'server before': `${toMegabytes(pid)} MB` };
      const before = performance.now();
      const { page, problems } = await place.open();
      await page.locator('.run-link').waitFor();
      figures['list'] = `${Math.round(performance.now() - before)} ms`;
      const openMs = await measure(async () => {
        await page.locator('.run-link').click();
        await page.locator('#turns .row').first().waitFor();
      });
      figures['open'] = `${Math.round(openMs)} ms`;
      figures['load again'] = `${Math.round(
        await measure(async () => {
          await page.reload();
          await page.locator('#turns .row').first().waitFor();
        }),
      )} ms`;

      // One that goes on for ever would lay the page out at each frame for as long as it is open.
      const endless = await page.evaluate(
        'document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime === Number.POSITIVE_INFINITY).length',
      );
      expect(endless).toBe(0);

      const random = createRandom(5);
      const seeks: number[] = [];
      for (let count = 0; count < SEEKS; count += 1) {
        const seq = 1 + Math.floor(random() * (INPUTS - 1));
        seeks.push(
          await measure(async () => {
            await page.getByRole('slider').fill(String(seq));
            await page.locator('.timeline output', { hasText: `input ${seq} of ${INPUTS}` }).waitFor();
          }),
        );
      }
      figures['seek'] = toText(seeks);
      await page.getByRole('button', { name: /Back to live|To the end/ }).click();
      await expect.poll(() => page.locator('.past').count()).toBe(0);

      const turns = Number(await page.locator('#turns .count').textContent());
      const scrolls: number[] = [];
      for (let count = 0; count < SCROLLS; count += 1)
        scrolls.push(
          await measure(async () => {
            const top = Math.floor(random() * turns) * 30;
            await page.locator('#turns .rows').evaluate((rows, to) => Reflect.set(rows, 'scrollTop', to), top);
            await expect.poll(() => page.locator('#turns li > .faint').count(), { interval: 5 }).toBe(0);
          }),
        );
      figures['scroll to any turn'] = toText(scrolls);
      expect(await page.locator('#turns li').count()).toBeLessThan(80);

      figures['search'] = `${Math.round(
        await measure(async () => {
          await page.locator('.search input').fill('needle-');
          await page.locator('.search input').press('Enter');
          await says(page, '.search', 'The first 200 lines');
        }),
      )} ms`;
      await page.locator('.hits button').last().click();
      await says(page, '#turn-panel', 'needle-');
      figures['server after'] = `${toMegabytes(pid)} MB`;
      figures['page (JavaScript)'] = `${await readHeap(page)} MB`;
      console.log(
        `${turns} turns: ${Object.entries(figures)
          .map(([name, figure]) => `${name} ${figure}`)
          .join('; ')}`,
      );
      expect(problems).toEqual([]);
    });
  });
});
