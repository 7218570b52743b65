/** `ralph web` is killed under a page that is open, and started anew. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { CHROMIUM, type RunningWeb } from './browser.ts';
import { enterRun, says, type WebPlace, withWeb } from './web-place.ts';

const AGENT = `
n=$(nth turns)
while [ ! -e "go-$n" ]; do sleep 0.02; done
[ "$n" = 4 ] && echo LOOP_COMPLETE; true`;
const FILES = toFiles('gates: []\nevent_loop: {prompt: Last the night, max_iterations: 9}\n', AGENT);
const TOKEN = '0123456789abcdef0123456789abcdef';

const letGo = ({ folder }: WebPlace, turn: number): void => writeFileSync(join(folder, `go-${turn}`), '');

/** Ends a server as the kernel would. */
function kill({ child }: RunningWeb): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

describe.skipIf(CHROMIUM === '')('a server that is killed', () => {
  test('is missed in the page, and with a token of its own the page goes on by itself when it is back', async () => {
    await withWeb(FILES, async (place) => {
      const file = join(place.folder, '.token');
      writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
      const { port } = new URL(place.web.url);
      await kill(place.web);
      const words = ['--port', port, '--token-file', file];
      const first = await place.serve(words);
      const run = place.start('run', '--no-tui');
      const { page } = await place.open({}, first);
      await enterRun(page);
      await says(page, '.run-header', 'turn 1 of 9');
      const other = await page.context().newPage();
      await other.goto(new URL('/', page.url()).href);
      await says(other, '.runs', 'Last the night');
      await kill(first);
      for (const tab of [page, other]) await says(tab, 'main', 'No answer from the server. It is asked again.');
      // What was there is still to be read.
      await says(page, '.now', 'ralph');
      letGo(place, 1);
      letGo(place, 2);
      await page.locator('.search input').fill('anything');
      await page.locator('.search input').press('Enter');
      await says(page, '.search', 'No answer from the server.');
      await place.serve(words);
      await says(page, '.run-header', 'turn 3 of 9');
      for (const tab of [page, other])
        await expect.poll(() => tab.getByText('No answer from the server. It is asked again.').count()).toBe(0);
      letGo(place, 3);
      await says(page, '.run-header', 'turn 4 of 9');
      letGo(place, 4);
      await says(page, '.run-header', 'completed');
      await says(other, '.runs', 'done');
      expect((await run.done).code).toBe(0);
    });
  });

  test('and comes back with another token is told from silence, with what to do; one tab with a new code is enough for all', async () => {
    await withWeb(FILES, async (place) => {
      const run = place.start('run', '--no-tui');
      const { page } = await place.open();
      await enterRun(page);
      await says(page, '.run-header', 'turn 1 of 9');
      const { port } = new URL(place.web.url);
      await kill(place.web);
      await says(page, 'main', 'No answer from the server.');
      const second = await place.serve(['--port', port]);
      await says(page, 'main', 'Another ralph web answers here, which does not know this page. Open the address that it has printed');
      letGo(place, 1);
      const fresh = await page.context().newPage();
      await fresh.goto(await second.createUrl());
      await says(fresh, '.runs', 'Last the night');
      await says(page, '.run-header', 'turn 2 of 9');
      await expect.poll(() => page.getByText('Another ralph web').count()).toBe(0);
      await page.reload();
      await says(page, '.run-header', 'turn 2 of 9');
      for (const turn of [2, 3, 4]) letGo(place, turn);
      await says(page, '.run-header', 'completed');
      await run.done;
    });
  });

  test('and comes back with another token tells a page that is loaded again what to do', async () => {
    await withWeb(FILES, async (place) => {
      const { page } = await place.open();
      const { port } = new URL(place.web.url);
      await kill(place.web);
      await place.serve(['--port', port]);
      await says(page, 'main', 'Another ralph web answers here');
      await page.reload();
      await says(page, 'main', 'This address has no code. Open the address that ralph web printed last.');
    });
  });
});
