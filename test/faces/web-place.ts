/** A folder with runs, a `ralph web` that serves them and a browser that looks at them. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { withPlace } from '../e2e/processes.ts';
import { type Finished, makeFolder, plainEnvironment, ralph, readJsonLines, type Started, start } from '../e2e/ralph.ts';
import { collectProblems, openBrowser, type RunningWeb, startWeb } from './browser.ts';

/** What a test of the page works with. All of it is ended with the test. */
export interface WebPlace {
  /** Where runs are started. */
  readonly folder: string;
  /** What every program here is started with: `ralph` notes its runs where no other test sees them. */
  readonly env: Readonly<Record<string, string>>;
  readonly browser: Browser;
  /** Starts another `ralph web`; the first has been started already. */
  readonly serve: (args?: readonly string[]) => Promise<RunningWeb>;
  readonly web: RunningWeb;
  readonly ralph: (...args: readonly string[]) => Promise<Finished>;
  readonly start: (...args: readonly string[]) => Started;
  /** A page in a browser of its own (it shares nothing with others), at the list of runs. */
  readonly open: (options?: BrowserContextOptions, web?: RunningWeb) => Promise<OpenPage>;
}

/** A page, and what it has that no page may have. */
export interface OpenPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** Gives a test all that it needs. `serve`: the arguments of the first `ralph web`. */
export function withWeb(
  files: Readonly<Record<string, string>>,
  use: (place: WebPlace) => Promise<void>,
  args: readonly string[] = ['--port', '0'],
): Promise<void> {
  return withPlace(files, async (folder) => {
    const home = makeFolder();
    const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
    mkdirSync(env.XDG_STATE_HOME);
    const webs: RunningWeb[] = [];
    const serve: WebPlace['serve'] = async (words = args) => {
      const web = await startWeb(folder, plainEnvironment(env), words);
      webs.push(web);
      return web;
    };
    const [browser, web] = await Promise.all([openBrowser(), serve()]);
    try {
      await use({
        folder,
        env,
        browser,
        serve,
        web,
        ralph: (...words) => ralph(folder, words, env),
        start: (...words) => start(folder, words, env),
        open: (options, of = web) => openPage(browser, of.createUrl(), options),
      });
    } finally {
      await browser.close();
      for (const { close } of webs) await close();
    }
  });
}

async function openPage(browser: Browser, url: Promise<string>, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems = collectProblems(page);
  await page.goto(await url);
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  return { page, problems };
}

/** Opens the only run, or the one with this title, from the list. */
export async function enterRun(page: Page, title?: string): Promise<void> {
  await page
    .locator('.run-link', title === undefined ? {} : { hasText: title })
    .first()
    .click();
  await page.locator('.run-header').waitFor();
}

/** The row of a turn (`2.1`) in the list of turns. */
export function rowOf(page: Page, turn: string): Locator {
  return page.locator('#turns .row', { has: page.locator('.name', { hasText: new RegExp(`^${turn.replace('.', '\\.')}$`) }) });
}

/** The inputs of the newest run's journal. */
export function readInputs(folder: string): readonly { readonly type: string }[] {
  const run = readdirSync(join(folder, '.ralph/runs')).sort().at(-1) ?? '';
  const lines = readJsonLines<{ readonly input: { readonly type: string } }>(
    readFileSync(join(folder, '.ralph/runs', run, 'journal.jsonl'), 'utf8'),
  );
  return lines.map(({ input }) => input);
}

/** Waits until a part of the page says something. */
export async function says(page: Page, selector: string, text: string | RegExp): Promise<void> {
  const read = (): Promise<string> =>
    page
      .locator(selector)
      .allTextContents()
      .then((texts) => texts.join('\n'));
  const expected = expect.poll(read, { message: `${selector} says ${text}` });
  await (typeof text === 'string' ? expected.toContain(text) : expected.toMatch(text));
}
