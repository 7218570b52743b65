/** `ralph demo --web`, as a newcomer sees it. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withPlace } from '../e2e/processes.ts';
import { start } from '../e2e/ralph.ts';
import { CHROMIUM, collectProblems, openBrowser } from './browser.ts';

describe.skipIf(CHROMIUM === '')('the demo in the browser', () => {
  test('opens the run itself, says when it has ended, and tells what came of it', async () => {
    await withPlace({}, async (folder) => {
      const demo = start(folder, ['demo', '--web'], { HOME: folder, TMPDIR: folder, XDG_STATE_HOME: join(folder, 'state') });
      await demo.says('ends the page');
      let printed = '';
      demo.child.stdout?.on('data', (data: Buffer) => {
        printed += String(data);
      });
      demo.child.kill('SIGUSR2');
      await expect.poll(() => printed).toContain('#code=');
      const browser = await openBrowser();
      try {
        const page = await (await browser.newContext()).newPage();
        const problems = collectProblems(page);
        await page.goto(printed.trim().split('\n').at(-1) ?? '');
        await page.locator('.run-header').waitFor();
        expect(page.url()).toMatch(/#\/run\/[a-z0-9]+/);
        await page.getByRole('link', { name: 'Ralph: all runs' }).click();
        await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
        await demo.says('The team has ended.');
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
      demo.child.kill('SIGINT');
      const { code, stdout } = await demo.done;
      expect(code).toBe(0);
      expect(stdout).toMatch(/After {3}✓ node --test passes[\s\S]*Completed after [\s\S]*Look at it:\n/);
    });
  });
});
