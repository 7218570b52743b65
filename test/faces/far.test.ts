/** The page under an address of the network (`--listen`), where browsers trust it less. */
import { chmodSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { CHROMIUM } from './browser.ts';
import { enterRun, says, withWeb } from './web-place.ts';

/** An address of this machine that is none of its own alone; empty where it has none. */
const ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
const BODY = '[ "$(nth turn)" -gt 1 ] && { echo LOOP_COMPLETE; exit 0; }; while [ ! -e go ]; do sleep 0.05; done';

if (ADDRESS === '') console.log('faces: SKIPPED, the page from another machine: this one has no address but its own');

describe.skipIf(CHROMIUM === '' || ADDRESS === '')('a page from another machine', () => {
  test('shows a run as it happens, and steers it where it may', async () => {
    const files = toFiles('gates: []\nevent_loop: {prompt: Paint the fence}\n', BODY);
    await withWeb({ ...files, token: '0123456789abcdef0123456789abcdef' }, async (place) => {
      chmodSync(join(place.folder, 'token'), 0o600);
      const run = place.start('run', '--no-tui');
      const web = await place.serve(['--port', '0', '--listen', ADDRESS, '--token-file', join(place.folder, 'token'), '--steer']);
      const { page, problems } = await place.open({}, web);
      await says(page, '.runs', 'Paint the fence');
      await enterRun(page);
      await page.locator('#tell-text').fill('use green');
      await page.getByRole('button', { name: 'Tell', exact: true }).click();
      await says(page, '.told', 'use green');
      writeFileSync(join(place.folder, 'go'), '');
      await says(page, '.run-header', 'completed');
      await run.done;
      // That its origin could be isolated from others is said in vain there.
      expect(problems.filter((problem) => !problem.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
    });
  });

  test('sends an order again whose connection broke, and it counts once', async () => {
    const files = toFiles('gates: []\nevent_loop: {prompt: Paint the fence}\n', BODY);
    await withWeb(files, async (place) => {
      const run = place.start('run', '--no-tui');
      const { page } = await place.open();
      await says(page, '.runs', 'Paint the fence');
      await enterRun(page);
      let sent = 0;
      await page.route('**/tell', async (route) => {
        sent += 1;
        if (sent > 1) return route.continue();
        // The server has it; its answer is lost.
        await route.fetch();
        await route.abort();
      });
      await page.locator('#tell-text').fill('use green');
      await page.getByRole('button', { name: 'Tell', exact: true }).click();
      await says(page, '.receipts', 'In the journal as');
      expect(sent).toBe(2);
      await says(page, '.told', 'use green');
      expect(await page.locator('.told li').count()).toBe(1);
      writeFileSync(join(place.folder, 'go'), '');
      await run.done;
    });
  });
});
