/** A team at work, watched in the page as it happens. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { toFiles } from '../e2e/agent-script.ts';
import { until } from '../e2e/run-facts.ts';
import { CHROMIUM } from './browser.ts';
import { enterRun, readInputs, says, type WebPlace, withWeb } from './web-place.ts';

const TEAM = `
gates:
  - {name: tests, run: test -e fixed, on: [build.done]}
event_loop: {prompt: Build the login, max_iterations: 9}
hats:
  planner:
    triggers: [task.start, task.resume]
    publishes: [build.task]
  builder:
    triggers: [build.task, build.blocked, review.rejected]
    publishes: [build.done]
  reviewer:
    triggers: [build.done]
    publishes: [review.rejected, LOOP_COMPLETE]
`;

/** The gate is red once, the reviewer rejects once; each turn waits until the test lets it go on. */
const AGENT = `
n=$(nth turns)
echo "turn $n: I am the $RALPH_HAT"
while [ ! -e "go-$n" ] && [ ! -e go-all ]; do sleep 0.02; done
case $RALPH_HAT in
  planner) emit build.task "the login";;
  builder) [ "$(nth builds)" -gt 1 ] && touch fixed; emit build.done "built";;
  reviewer) if [ "$(nth reviews)" = 1 ]; then emit review.rejected "no test"; else echo LOOP_COMPLETE; fi;;
esac
echo "turn $n: done"`;
/** Who works in each turn. */
const TURNS = ['planner', 'builder', 'builder', 'reviewer', 'builder', 'reviewer'] as const;

const FILES = toFiles(TEAM, AGENT);

function letGo({ folder }: WebPlace, turn: number | 'all'): void {
  writeFileSync(join(folder, `go-${turn}`), '');
}

/** How often an event went over an edge, as the table of the flow says it. */
async function readFlow(page: Page): Promise<ReadonlyMap<string, number>> {
  const rows = await page
    .locator('.graph tbody tr')
    .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  return new Map(
    rows.map(([from = '', topic = '', to = '', times = '']) => [`${from} ${topic.replace(' (gated)', '')} ${to}`, Number(times)]),
  );
}

describe.skipIf(CHROMIUM === '')('a run that is at work', () => {
  test('is seen as it happens: turns, who works, the flow, the gates, and its end', async () => {
    await withWeb(FILES, async (place) => {
      const { page, problems } = await place.open();
      await says(page, 'main', 'No run is under way.');
      const run = place.start('run', '--no-tui');
      await says(page, '.runs', 'Build the login');
      await enterRun(page);
      for (const [index, hat] of TURNS.entries()) {
        const turn = index + 1;
        await says(page, '.run-header', `turn ${turn} of 9`);
        await says(page, '.now', new RegExp(`Now: ${hat} @\\S+ in turn ${turn} for`));
        await says(page, '.hats tr.working', `▶ ${hat}`);
        await says(page, '.graph .node.working', `▶ ${hat}`);
        await says(page, '#turns .row.running', `${turn} ${hat}`);
        expect(await page.locator('#turns .count').textContent()).toBe(String(turn));
        await page.getByRole('tab', { name: 'output' }).click();
        await says(page, '#turn-panel', `turn ${turn}: I am the ${hat}`);
        if (turn === 3) await says(page, '.evidence .red', /tests.*✗ red.*exit 1/s);
        if (turn === 4) await says(page, '.evidence', '✓ passed');
        letGo(place, turn);
      }
      await says(page, '.run-header', 'completed');
      expect((await run.done).code).toBe(0);
      expect(await page.locator('.hats tr.working, .graph .node.working, #turns .row.running').count()).toBe(0);
      expect(await page.locator('#turns .row.succeeded').count()).toBe(5);
      expect(await page.locator('#turns .row.failed').allTextContents()).toEqual([expect.stringContaining('2 builder')]);
      const flow = await readFlow(page);
      expect(flow.get('planner build.task builder')).toBe(1);
      expect(flow.get('builder build.done reviewer')).toBe(2);
      expect(flow.get('reviewer review.rejected builder')).toBe(1);
      expect(await page.locator('.graph .count-mark').allTextContents()).toContain('×3');
      expect(problems).toEqual([]);
    });
  });

  test('does the same whether it is looked at or not, and whenever the page is closed or ralph web is killed', async () => {
    let unseen: readonly string[] = [];
    await withWeb(FILES, async (place) => {
      letGo(place, 'all');
      expect((await place.ralph('run', '--no-tui')).code).toBe(0);
      unseen = readInputs(place.folder).map(({ type }) => type);
    });
    await withWeb(FILES, async (place) => {
      const run = place.start('run', '--no-tui');
      await until('the run', () => readdirSync(place.folder).includes('.ralph'));
      for (const turn of TURNS.keys()) {
        const { page } = await place.open();
        await enterRun(page);
        await says(page, '.run-header', `turn ${turn + 1} of 9`);
        const step = turn % 3;
        if (step === 0) await page.close();
        letGo(place, turn + 1);
        if (step === 1) await page.context().close();
        if (step === 2) {
          await says(page, '.run-header', turn + 1 === TURNS.length ? 'completed' : `turn ${turn + 2} of 9`);
          await page.reload();
          await page.close();
        }
      }
      place.web.child.kill('SIGKILL');
      expect((await run.done).code).toBe(0);
      expect(readInputs(place.folder).map(({ type }) => type)).toEqual(unseen);
    });
  });
});
