/** Several people look at the same run, each in a browser of their own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { until } from '../e2e/run-facts.ts';
import { CHROMIUM } from './browser.ts';
import { enterRun, readInputs, says, withWeb } from './web-place.ts';

const AGENT = `
answer=$("$RALPH_BIN" ask "Which port?" --choices 8080,9090 --default 9090)
echo "$answer" >> answers.txt
while [ ! -e end ]; do sleep 0.05; done
echo LOOP_COMPLETE`;
const FILES = toFiles('gates: []\nevent_loop: {prompt: Serve it}\n', AGENT);

const receipts = (page: Page): Promise<string> => page.locator('.receipts').innerText();

describe.skipIf(CHROMIUM === '')('two browsers', () => {
  test('answer one question at once: one wins, the other is told, and the agent hears one answer', async () => {
    await withWeb(FILES, async (place) => {
      const run = place.start('run', '--no-tui');
      const people = await Promise.all([place.open(), place.open()]);
      const pages = people.map(({ page }) => page);
      for (const page of pages) {
        await says(page, '.runs', 'Which port?');
        await enterRun(page);
        await says(page, '.now', 'Which port?');
      }
      const choices = ['8080', '9090'] as const;
      // At once, without the waiting of a click: the button of the one that is later may be gone by then.
      await Promise.all(
        choices.map((choice, index) => pages[index]?.getByRole('button', { name: choice, exact: true }).dispatchEvent('click')),
      );
      for (const page of pages) await says(page, '.receipts', /is answered|refused/);
      await until('the agent has its answer', () => readInputs(place.folder).some(({ type }) => type === 'answered'));
      writeFileSync(join(place.folder, 'end'), '');
      await run.done;
      const heard = readFileSync(join(place.folder, 'answers.txt'), 'utf8').trim();
      const said = await Promise.all(pages.map(receipts));
      const winner = choices.indexOf(heard as (typeof choices)[number]);
      expect(said[winner]).toContain(`q1 is answered: ${heard}.`);
      expect(said[1 - winner]).toMatch(/refused\. .*answered/);
      expect(said[1 - winner]).toContain(heard);
      // Both may have reached the run: they stand in the journal one after the other, and the first counts.
      expect(readInputs(place.folder).find(({ type }) => type === 'answered')).toMatchObject({ question: 'q1', choice: heard });
      for (const page of pages) await expect.poll(() => page.locator('.question').count()).toBe(0);
      // What was refused is an error of the network, and of nothing else.
      for (const { problems } of people) expect(problems.filter((text) => !text.includes('409'))).toEqual([]);
    });
  });

  test('see what the other one does, and what is done in a terminal', async () => {
    await withWeb(FILES, async (place) => {
      const run = place.start('run', '--no-tui');
      const [first, second] = await Promise.all([place.open(), place.open()]);
      for (const { page } of [first, second]) {
        await says(page, '.runs', 'Which port?');
        await enterRun(page);
      }
      await first.page.locator('#tell-text').fill('mind the firewall');
      await first.page.getByRole('button', { name: 'Tell', exact: true }).click();
      await says(second.page, '.told', 'mind the firewall');
      await place.ralph('answer', '8080');
      for (const { page } of [first, second]) await expect.poll(() => page.locator('.question').count()).toBe(0);
      await second.page.getByRole('button', { name: 'Stop now' }).click();
      await second.page.getByRole('button', { name: /Press again/ }).click();
      await says(first.page, '.run-header', 'ended:');
      await run.done;
      await first.page.getByRole('button', { name: 'Resume' }).click();
      await first.page.getByRole('button', { name: /Press again/ }).click();
      await says(first.page, '.receipts', /Resume: It goes on \(process \d+\)/);
      await says(second.page, '.run-header', 'running');
      writeFileSync(join(place.folder, 'end'), '');
      await says(second.page, '.run-header', /completed|Which port/);
    });
  });

  test('where runs are only shown, nobody is offered anything', async () => {
    await withWeb(
      FILES,
      async (place) => {
        const run = place.start('run', '--no-tui');
        const { page, problems } = await place.open();
        await says(page, '.runs', 'Which port?');
        await enterRun(page);
        await says(page, '.now', 'Which port?');
        expect(await page.locator('.question button, .orders button, .tell').count()).toBe(0);
        await place.ralph('answer', '8080');
        writeFileSync(join(place.folder, 'end'), '');
        await run.done;
        expect(problems).toEqual([]);
      },
      ['--port', '0', '--read-only'],
    );
  });
});
