/** What the page of `ralph web` costs in a real Chromium: list and open, scrolling, the memory of its tab; beside an empty tab of the same browser. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { withBundle } from './bundle.mjs';
import { ms, pause, row, shareOf, time, toBudget } from './measure.mjs';
import { startWeb, TOKEN } from './web-server.mjs';
import { withFolder } from './workspace.mjs';

const CHROMIUM = process.env.RALPH_FACES_CHROMIUM ?? '/usr/bin/chromium';
const RUN_ID = '20261121-101010-abcde';
const LENGTHS = [10_000, 100_000];
/** The page and an empty one are scrolled in turn. */
const ROUNDS = 3;
const TURNS_OF_WHEEL = 120;
const WHEEL_PX = 240;
const WHEEL_MS = 16;
/** Two frames of sixty a second: whoever takes longer has dropped one. */
const DROPPED_MS = 34;
const BUDGET_MB = 200;

export async function benchPage() {
  if (!existsSync(CHROMIUM)) return [row('the page of `ralph web`', `not measured: there is no ${CHROMIUM}`, '', '')];
  return withBundle(new URL('./faces.ts', import.meta.url), async (file) => {
    const { writeJournal } = await import(pathToFileURL(file).href);
    const rows = [];
    for (const inputs of LENGTHS) rows.push(...(await benchLength(writeJournal, inputs)));
    return rows;
  });
}

async function benchLength(writeJournal, inputs) {
  return withFolder({ token: TOKEN }, async (cwd) => {
    writeJournal(join(cwd, '.ralph/runs', RUN_ID, 'journal.jsonl'), RUN_ID, inputs).close();
    const web = await startWeb(cwd);
    // The browser has no sandbox of its own where root starts it; it loads nothing but our page.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const tabs = createTabs(browser);
      const empty = await tabs.open();
      const ours = await tabs.open();
      const listMs = await time(async () => {
        await ours.goto(web.url);
        await ours.locator('.run-link').waitFor();
      });
      const openMs = await time(async () => {
        await ours.locator('.run-link').click();
        await ours.locator('#turns .row').first().waitFor();
      });
      const heightPx = await ours.locator('#turns .rows').evaluate((list) => list.scrollHeight);
      await empty.setContent(`<div class="rows" style="height: 400px; overflow: auto"><div style="height: ${heightPx}px"></div></div>`);
      const frames = { ours: [], empty: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        frames.empty.push(...(await scroll(empty, '.rows')));
        frames.ours.push(...(await scroll(ours, '#turns .rows')));
      }
      const memory = { ours: await tabs.readMemory(ours), empty: await tabs.readMemory(empty) };
      return toRows(inputs.toLocaleString('en'), { listMs, openMs, frames, memory });
    } finally {
      await browser.close();
      web.stop();
    }
  });
}

function toRows(name, { listMs, openMs, frames, memory }) {
  const [dropped, anyway] = [countDropped(frames.ours), countDropped(frames.empty)];
  const read = (deltas) => `${shareOf(deltas, 0.5).toFixed(1)}, ${shareOf(deltas, 0.99).toFixed(1)} and ${ms(Math.max(...deltas))}`;
  return [
    row(
      `page, ${name} inputs: until the list is there, and from a click on the run to its first turn`,
      `${ms(listMs)}, ${ms(openMs)}`,
      '',
      '',
      'with the requests; once',
    ),
    row(
      `page, ${name} inputs: frames over ${DROPPED_MS} ms while its turns are scrolled by wheel`,
      `${dropped} of ${frames.ours.length}`,
      `an empty page of that height ${anyway} of ${frames.empty.length}`,
      `${(toShare(frames.ours) - toShare(frames.empty)).toFixed(2)} points`,
      `${toBudget('none more than the empty page has', toShare(frames.ours) <= toShare(frames.empty))}; p50, p99 and longest ${read(frames.ours)} beside ${read(frames.empty)}; software rendering`,
    ),
    row(
      `page, ${name} inputs: memory of the tab after that (PSS and RSS of its process)`,
      `${memory.ours.pss} and ${memory.ours.rss} MB`,
      `an empty tab ${memory.empty.pss} and ${memory.empty.rss} MB`,
      `${(memory.ours.pss / memory.empty.pss).toFixed(2)} x`,
      `${memory.ours.pss - memory.empty.pss} MB more; ${toBudget(`${BUDGET_MB} MB`, memory.ours.pss <= BUDGET_MB)} by PSS; RSS counts the program of the browser whole`,
    ),
  ];
}

const countDropped = (deltas) => deltas.filter((delta) => delta > DROPPED_MS).length;
const toShare = (deltas) => (countDropped(deltas) / deltas.length) * 100;

/** Turns the wheel over a list, down and then up; the time between each two frames meanwhile. */
async function scroll(page, selector) {
  const list = page.locator(selector).first();
  await page.bringToFront();
  await list.hover();
  await list.evaluate((_, name) => {
    const deltas = [];
    let last = null;
    const tick = (now) => {
      if (last !== null) deltas.push(now - last);
      last = now;
      if (window[name] === deltas) requestAnimationFrame(tick);
    };
    window[name] = deltas;
    requestAnimationFrame(tick);
  }, 'benchFrames');
  const before = await list.evaluate(({ scrollTop }) => scrollTop);
  let furthest = before;
  for (let turn = 0; turn < TURNS_OF_WHEEL; turn += 1) {
    await page.mouse.wheel(0, turn < TURNS_OF_WHEEL * 0.75 ? WHEEL_PX : -WHEEL_PX);
    if (turn === TURNS_OF_WHEEL / 2) furthest = await list.evaluate(({ scrollTop }) => scrollTop);
    await pause(WHEEL_MS);
  }
  const deltas = await list.evaluate((_, name) => {
    const all = window[name];
    window[name] = null;
    return all;
  }, 'benchFrames');
  if (furthest === before) throw new Error(`${selector} was not scrolled`);
  return deltas;
}

/** Tabs that share nothing, and what the process of each holds. */
function createTabs(browser) {
  return {
    open: async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      return page;
    },
    readMemory: async (page) => {
      const session = await browser.newBrowserCDPSession();
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      await session.detach();
      const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
      return readMemory(await findRenderer(page, renderers));
    },
  };
}

/** A page that is busy is in the process that has worked meanwhile. */
async function findRenderer(page, pids) {
  const before = new Map(pids.map((pid) => [pid, readCpu(pid)]));
  await page.evaluate(() => {
    const until = performance.now() + 300;
    while (performance.now() < until);
  });
  return pids.toSorted((one, other) => readCpu(other) - before.get(other) - (readCpu(one) - before.get(one)))[0];
}

function readCpu(pid) {
  const stat = readFileSync(`/proc/${pid}/schedstat`, 'utf8');
  return Number(stat.split(' ')[0]);
}

/** In MB. PSS shares what several processes have in common among them, RSS counts it whole for each. */
function readMemory(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const read = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024);
  return { pss: read('Pss'), rss: read('Rss') };
}
