/** Everything that the page does is done without a mouse. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { CHROMIUM } from './browser.ts';
import { readInputs, says, withWeb } from './web-place.ts';

const TEAM = `
gates: []
event_loop: {prompt: Clear the attic, max_iterations: 12}
hats:
  planner:
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task, LOOP_COMPLETE]
  builder:
    triggers: [build.task]
    publishes: [build.done]
`;
const AGENT = `
n=$(nth turns)
echo "words of turn $n"
case $RALPH_HAT:$n in
  planner:5) answer=$("$RALPH_BIN" ask "Throw the old table away?" --choices yes,no --default no); echo "answer $answer" > answer.txt
    while [ ! -e end ]; do sleep 0.05; done; echo LOOP_COMPLETE;;
  planner:*) emit build.task "step $n";;
  builder:*) emit build.done "step $n";;
esac`;

const FOCUSED = `(({ activeElement: found, body }) =>
  found === null || found === body ? '' : (found.getAttribute('aria-label') ?? '') + ' ' + found.textContent)(document)`;

/** Presses Tab until what is named has the focus; fails where it never gets it. */
async function tabTo(page: Page, name: RegExp | string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    // In one step: between two, what has the focus may be gone.
    const said = String(await page.evaluate(FOCUSED)).trim();
    if (said !== '' && (typeof name === 'string' ? said === name : name.test(said))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never comes to ${name}`);
}

const focusedId = (page: Page): Promise<string | null> => page.locator(':focus').getAttribute('id');
const selectedTurn = (page: Page): Promise<string | null> => page.locator('#turns .row[aria-current="true"] .name').textContent();

describe.skipIf(CHROMIUM === '')('by keyboard alone', () => {
  test('a person goes to a run, looks around, answers, tells, and stops it', async () => {
    await withWeb(toFiles(TEAM, AGENT), async (place) => {
      const run = place.start('run', '--no-tui');
      const { page, problems } = await place.open();
      const { keyboard } = page;
      await says(page, '.runs', 'Throw the old table away?');
      await tabTo(page, /Clear the attic/);
      await keyboard.press('Enter');
      await says(page, '.run-header', 'turn 5 of 12');

      // Turns, and the tabs of one.
      await says(page, '#turn-title', 'Turn 5 planner');
      await keyboard.press('j');
      await says(page, '#turn-title', 'Turn 4 builder');
      await keyboard.press('j');
      await expect.poll(() => selectedTurn(page)).toBe('3');
      await keyboard.press('k');
      await expect.poll(() => selectedTurn(page)).toBe('4');
      await keyboard.press(']');
      await says(page, '[role=tab][aria-selected=true]', 'output');
      await says(page, '#turn-panel', 'words of turn 4');
      await tabTo(page, 'output');
      await keyboard.press('ArrowRight');
      await says(page, '[role=tab][aria-selected=true]', 'prompt');
      expect(await focusedId(page)).toBe('tab-prompt');

      // The line of time.
      const lastSeq = readInputs(place.folder).length;
      await keyboard.press(',');
      await says(page, '.timeline output', `input ${lastSeq - 1} of ${lastSeq}`);
      await says(page, '.past', 'PAST');
      // Quicker than the page can show each of them.
      for (let step = 0; step < 3; step += 1) await keyboard.press(',');
      await says(page, '.timeline output', `input ${lastSeq - 4} of ${lastSeq}`);
      expect(await page.getByRole('button', { name: 'Tell', exact: true }).count()).toBe(0);
      await keyboard.press('<');
      await expect.poll(() => page.getByRole('slider').inputValue()).not.toBe(String(lastSeq - 4));
      await tabTo(page, 'Input of the journal');
      await keyboard.press('Home');
      await says(page, '.timeline output', `input 1 of ${lastSeq}`);
      await keyboard.press('ArrowRight');
      await says(page, '.timeline output', `input 2 of ${lastSeq}`);
      await keyboard.press('L');
      await says(page, '.timeline output', `input ${lastSeq} of ${lastSeq}`);
      expect(await page.locator('.past').count()).toBe(0);

      // Help, and actions by their words.
      await keyboard.press('?');
      await says(page, 'dialog', 'back to where a turn began');
      await keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
      await keyboard.press('Control+k');
      await page.locator('dialog input:focus').waitFor();
      await keyboard.type('evidence');
      await keyboard.press('Enter');
      await expect.poll(() => focusedId(page)).toBe('evidence');
      await keyboard.press('g');
      await keyboard.press('t');
      await expect.poll(() => focusedId(page)).toBe('turns');

      // Search.
      await keyboard.press('/');
      await expect.poll(() => focusedId(page)).toBe('search-words');
      await keyboard.type('words of turn 2');
      await keyboard.press('Enter');
      await tabTo(page, /turn 2, output/);
      await keyboard.press('Enter');
      await says(page, '#turn-title', 'Turn 2 builder');
      await says(page, '#turn-panel', 'words of turn 2');

      // Words for the agents, an answer, the end.
      await keyboard.press(':');
      await expect.poll(() => focusedId(page)).toBe('tell-text');
      await keyboard.type('keep the lamp');
      await tabTo(page, 'Tell');
      await keyboard.press('Enter');
      await says(page, '.receipts', /Tell: In the journal as #\d+/);
      await says(page, '.told', 'keep the lamp');
      await page.locator('h1').first().click();
      await keyboard.press('a');
      await page.locator('#answers:focus').waitFor();
      expect(await page.locator('#answers').textContent()).toBe('yes');
      await keyboard.press('Enter');
      await says(page, '.receipts', 'Answer to q1: q1 is answered: yes.');
      await expect.poll(() => page.locator('.question').count()).toBe(0);
      await keyboard.press('s');
      await page.locator('#stop:focus').waitFor();
      await keyboard.press('Enter');
      expect(readInputs(place.folder).some(({ type }) => type === 'stop-requested')).toBe(false);
      await says(page, '.orders', 'Press again');
      await keyboard.press('Enter');
      await says(page, '.receipts', 'Asked to stop.');
      writeFileSync(join(place.folder, 'end'), '');
      await says(page, '.run-header', 'ended:');
      expect(readInputs(place.folder).find(({ type }) => type === 'stop-requested')).toMatchObject({
        by: expect.stringMatching(/^stop on its page \(/),
      });
      await run.done;
      await keyboard.press('g');
      await keyboard.press('r');
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('focus is seen, and is not lost when news come', async () => {
    await withWeb(toFiles(TEAM, AGENT), async (place) => {
      const run = place.start('run', '--no-tui');
      const { page } = await place.open();
      await says(page, '.runs', 'Throw the old table away?');
      await tabTo(page, /Clear the attic/);
      expect(
        await page.locator(':focus').evaluate((link) => Reflect.get(link, 'ownerDocument').defaultView.getComputedStyle(link).outlineStyle),
      ).toBe('solid');
      await page.keyboard.press('Enter');
      await says(page, '.run-header', 'turn 5 of 12');
      await page.keyboard.press(':');
      await page.keyboard.type('half a sen');
      await place.ralph('tell', 'from the terminal', '--next');
      await says(page, '.told', 'from the terminal');
      await page.keyboard.type('tence');
      expect(await page.locator(':focus').inputValue()).toBe('half a sentence');
      writeFileSync(join(place.folder, 'end'), '');
      await place.ralph('answer', 'no');
      await run.done;
    });
  });
});
