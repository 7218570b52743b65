/** The page as those meet it who do not see it, see it darkly, or want it still: nothing that axe finds. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { plainEnvironment, RALPH } from '../e2e/ralph.ts';
import { findBarriers, WITHOUT_POLICY } from './axe.ts';
import { CHROMIUM } from './browser.ts';
import { enterRun, rowOf, says, withWeb } from './web-place.ts';

const TEAM = `
gates:
  - {name: tests, run: "echo 'not ok 1 - adds up'; exit 1", on: [build.done]}
event_loop: {prompt: Paint the fence, max_iterations: 5}
hats:
  planner:
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task]
  builder:
    triggers: [build.task, build.blocked]
    publishes: [build.done]
`;
const AGENT = `
n=$(nth turns)
echo "words of turn $n"
case $RALPH_HAT:$n in
  planner:*) emit build.task "step $n";;
  builder:3) "$RALPH_BIN" ask "Which colour?" --choices green,white --default green; echo LOOP_COMPLETE;;
  builder:*) echo change >> fence.txt; emit build.done "step $n";;
esac`;

const TABS = ['why', 'output', 'prompt', 'diff', 'calls'];
const SCHEMES = ['light', 'dark'] as const;

/** Looks at the page in both colour schemes. */
async function expectNoBarriers(page: Page, what: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect.soft([what, colorScheme, ...(await findBarriers(page))]).toEqual([what, colorScheme]);
  }
}

describe.skipIf(CHROMIUM === '')('nobody is kept out', () => {
  test('of the list, a run that asks, each tab of a turn, the past, the keys and a run that has ended', async () => {
    await withWeb(toFiles(TEAM, AGENT), async (place) => {
      execFileSync('git', ['init', '-q'], { cwd: place.folder });
      const { page } = await place.open(WITHOUT_POLICY);
      await expectNoBarriers(page, 'an empty list');
      const run = place.start('run', '--no-tui');
      await says(page, '.runs', 'Which colour?');
      await expectNoBarriers(page, 'the list');
      await enterRun(page);
      await says(page, '.now', 'Which colour?');
      await says(page, '.evidence', '✗ red');
      await page.locator('.graph summary').click();
      await page.getByRole('button', { name: 'Whole output' }).click();
      await page.getByRole('button', { name: 'Stop now' }).click();
      await expectNoBarriers(page, 'a run that asks');
      await rowOf(page, '2').click();
      for (const tab of TABS) {
        await page.getByRole('tab', { name: tab }).click();
        await says(page, '[role=tab][aria-selected=true]', tab);
        await says(page, '#turn-panel', /^(?!Loading)/);
        await expectNoBarriers(page, tab);
      }
      await page.locator('.search input').fill('words');
      await page.locator('.search input').press('Enter');
      await says(page, '.search', 'lines');
      await expectNoBarriers(page, 'what was found');
      await page.getByRole('slider').fill('4');
      await says(page, '.past', 'PAST');
      await expectNoBarriers(page, 'the past');
      await page.locator('h1').click();
      for (const key of ['?', 'Control+k']) {
        await page.keyboard.press(key);
        await page.locator('dialog').waitFor();
        await expectNoBarriers(page, `the dialog of ${key}`);
        await page.keyboard.press('Escape');
        await expect.poll(() => page.locator('dialog').count()).toBe(0);
      }
      await place.ralph('answer', 'white');
      await page.keyboard.press('L');
      await says(page, '.run-header', /ended:|completed/);
      await run.done;
      await expectNoBarriers(page, 'a run that has ended');
      await page.setViewportSize({ width: 420, height: 800 });
      await expectNoBarriers(page, 'a narrow window');
      const wide = `[...document.querySelectorAll('main *, .timeline *')].filter((found) => found.getBoundingClientRect().right > innerWidth && found.closest('.scroll, .why, .graph svg, .row') === null)`;
      expect(await page.evaluate(`${wide}.map(({ outerHTML }) => outerHTML.slice(0, 100))`)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });
  });

  test('of a page without a code', async () => {
    await withWeb({}, async ({ browser, web }) => {
      const page = await (await browser.newContext(WITHOUT_POLICY)).newPage();
      await page.goto(new URL('/', web.url).href);
      await says(page, 'main', 'Open the address that ralph web printed last.');
      await expectNoBarriers(page, 'without a code');
    });
  });

  test('of a report', async () => {
    await withWeb(toFiles(TEAM, AGENT.replace('3)', '99)')), async ({ folder, browser, env, ralph }) => {
      await ralph('run', '--no-tui');
      execFileSync(process.execPath, [RALPH, 'report', '--with-outputs', '-o', 'run.html'], { cwd: folder, env: plainEnvironment(env) });
      const page = await (await browser.newContext(WITHOUT_POLICY)).newPage();
      await page.goto(pathToFileURL(join(folder, 'run.html')).href);
      await page.locator('.run-header').waitFor();
      await expectNoBarriers(page, 'a report');
    });
  });
});
