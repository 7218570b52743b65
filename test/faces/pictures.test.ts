/**
 * The pictures of the guide, docs/images/{watch,web,report}.png, from a real terminal and a real browser. Each is taken here at every run, of what must be seen in it;
 * UPDATE_PICTURES=1 (`npm run picture:faces`) keeps it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, plainEnvironment, RALPH, start } from '../e2e/ralph.ts';
import { until } from '../e2e/run-facts.ts';
import { CHROMIUM, openBrowser, startWeb } from './browser.ts';
import { toScreenText, toTerminalPage } from './terminal-picture.ts';
import { readInputs } from './web-place.ts';

const KEPT = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const IS_UPDATE = process.env['UPDATE_PICTURES'] === '1';
const SIZE = { width: 1280, height: 800 };
const SCREEN = { columns: 120, rows: 36 };
const NO_TMUX = spawnSync('tmux', ['-V']).status !== 0;

/** It waits for its person beside a red gate. */
const TEAM = `event_loop: { max_iterations: 40, max_cost_usd: 2 }
workspace: in_place
cli: { backend: { type: custom, command: ./agent.sh, output_format: stream } }
gates:
  - { name: tests, on: [build.done], run: node --test }
  - { name: lint, on: [build.done], run: node --check src/login.mjs }
hats:
  planner: { triggers: [task.start, task.resume, build.blocked, review.passed], publishes: [build.task] }
  builder: { triggers: [build.task, review.rejected], publishes: [build.done] }
  reviewer: { triggers: [build.done], publishes: [review.passed, review.rejected] }
`;

/** What the builder says. */
const WORDS = [
  'I read src/login.mjs, its test, and the sessions migration.',
  '',
  'What I found',
  '- refresh() hands out a new token whatever the old one was: nothing remembers that a token was used.',
  '- A used token is found again in the old sessions table, which nothing else reads any more.',
  '- The new table has a unique index on the hash of a token, so a second use fails there by itself.',
  '',
  'What I do',
  '1. Mark a token as used in the statement that hands out the next one.',
  '2. Refuse a marked token, and end its session.',
  '3. Drop the old table, so that no used token comes back.',
  '',
  'Step 3 touches staging, so a person has to decide. The migration is ready, and a dump of the table is kept for a week.',
].join('\\n');

const AGENT = `#!/bin/sh
say() { printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"%s","total_cost_usd":%s}\\n' "$1" "$2"; }
speak() { printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"; }
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count
if [ "$RALPH_HAT" = planner ]; then
  sleep 1
  "$RALPH_BIN" emit build.task "Refuse a refresh token that was used once." > /dev/null
  say "The login keeps a refresh token alive after it was used. One step: refuse it." 0.0208
else
  sleep 2
  speak "${WORDS}"
  [ $n -lt 6 ] || "$RALPH_BIN" ask "Deploy the migration that drops the old sessions table to staging?" --choices yes,no --default no --deadline 2h > /dev/null
  echo "// attempt $n" >> src/login.mjs
  "$RALPH_BIN" emit build.done "Used tokens are refused." > /dev/null
  say "I changed src/login.mjs; all tests pass now." 0.0352
fi
`;

const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { refresh } from '../src/login.mjs';
test('refuses a refresh token that was used once', () => assert.equal(refresh(true), 'refused'));
test('gives a new token for a fresh one', () => assert.equal(refresh(false), 'new token'));
`;

const FILES = {
  'shop/ralph.yml': TEAM,
  'shop/agent.sh': AGENT,
  'shop/test/login.test.mjs': TESTS,
  'shop/src/login.mjs': "export const refresh = (used) => 'new token';\n",
  'shop/.gitignore': 'count\n.ralph\n.agent\n',
};

describe.skipIf(CHROMIUM === '')('the pictures of the guide', () => {
  let home = '';
  let folder = '';
  let variables: Readonly<Record<string, string>> = {};
  let browser: Browser;
  const run = (command: string, ...words: readonly string[]): string =>
    execFileSync(command, words, { cwd: folder, env: plainEnvironment(variables), encoding: 'utf8', stdio: 'pipe', timeout: 60_000 });
  const ralph = (...words: readonly string[]): string => run(process.execPath, RALPH, ...words);
  const readStatus = () => JSON.parse(ralph('status', '--format', 'json'));

  beforeAll(async () => {
    home = makeFolder(FILES);
    folder = join(home, 'shop');
    const state = join(home, 'state');
    mkdirSync(state);
    variables = {
      HOME: home,
      XDG_STATE_HOME: state,
      CI: '',
      ACCESSIBLE: '',
      NO_COLOR: '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    };
    run('git', 'init', '-q');
    run('git', 'add', '.');
    run('git', '-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', 'commit', '-q', '-m', 'The login');
    browser = await openBrowser();
    ralph('run', '--detach', '--nested', '-p', 'Fix the login: a refresh token that was used once must be refused');
    await until('the question', () => readStatus().attention.state === 'needs_you');
  });

  afterAll(async () => {
    await browser?.close();
    if (home === '') return;
    // Where a test failed, it is still under way.
    await start(folder, ['stop', '--now'], variables).done;
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Takes a picture, which is as large as the one that is kept. */
  const take = async (name: string, of: Page | Locator): Promise<void> => {
    const path = join(IS_UPDATE ? KEPT : home, name);
    await of.screenshot({ path, animations: 'disabled' });
    expect(readSize(path)).toEqual(readSize(join(KEPT, name)));
  };

  test.skipIf(NO_TMUX)(
    'show in the terminal what the run needs, what it cost, which gate is red and why, who is next, and who asks',
    async () => {
      const tmux = (...words: readonly string[]): string => run('tmux', '-L', `ralph-pictures-${process.pid}`, ...words);
      tmux('new-session', '-d', '-x', String(SCREEN.columns), '-y', String(SCREEN.rows), `'${process.execPath}' '${RALPH}' watch`);
      let screen = '';
      try {
        const seen = [
          /^! WAITING FOR YOU /,
          /! WAITING FOR YOU builder asks: Deploy/,
          /If nobody answers by \d\d:\d\d \(in (?:2 h 00|1 h 5\d) min\)/,
          /press a, then 1 yes, 2 no/,
          /turn 6\/40 .*\$0\.13\/\$2\.00 {2}\+ turn 6/,
          /✗ GATE RED tests failed 2 times in a row/,
          /may be old: files may have changed since turn 4/,
          /✗ RED tests exit 1, .* red 2 of 2/,
          /\| not ok 1 - refuses a refresh token that was used once/,
          /\| expected: 'refused'/,
          /now {3}▸ builder @custom/,
          /next {2}reviewer on build\.done, or planner on/,
          /A used token is found again in the old/,
          /q leave/,
        ];
        const look = (): readonly string[] => {
          screen = tmux('capture-pane', '-e', '-p');
          const text = toScreenText(screen);
          return [...seen.filter((words) => !words.test(text)), ...[/RUNNING|WORKING/].filter((words) => words.test(text))].map(String);
        };
        await expect.poll(look).toEqual([]);
      } finally {
        tmux('kill-server');
      }
      const page = await browser.newPage();
      await page.setContent(toTerminalPage(screen, SCREEN));
      await take('watch.png', page.locator('pre'));
      await page.close();
    },
  );

  test('show on the page the same, with the answers to press and the flow', async () => {
    const web = await startWeb(folder, plainEnvironment(variables));
    const page = await browser.newPage({ viewport: SIZE });
    try {
      await page.goto(web.url);
      await page.locator('a.run-link').first().click();
      await page.locator('.graph svg').waitFor();
      await expectSeen([
        page.getByText('builder asks: Deploy the migration'),
        page.getByRole('button', { name: 'yes', exact: true }),
        page.locator('.run-header .badge', { hasText: 'waiting for you' }),
        page.getByText(/If nobody answers by \d\d:\d\d \(in .*\), "no" counts\./),
        page.getByText('$0.13 of $2.00 + turn 6'),
        page.getByText(/tests failed 2 times in a row, last after turn 4, each time with "refuses a refresh token/),
        page.getByText(/may be old: files may have changed since turn 4/),
        page.locator('.evidence .red', { hasText: /tests.*✗ red/s }),
        page.getByText('not ok 1 - refuses a refresh token that was used once'),
        page.getByText(/^Now: builder .* waited for your answer/),
        page.getByText(/^Next: reviewer on build\.done, or planner on build\.blocked/),
        page.locator('.graph .node.working'),
        page.locator('#turns .row.running'),
      ]);
      await take('web.png', page);
    } finally {
      await page.close();
      await web.close();
    }
  });

  const openReport = async (): Promise<Page> => {
    const path = join(home, 'run.html');
    ralph('report', '-o', path);
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(pathToFileURL(path).href);
    await page.locator('.graph svg').waitFor();
    return page;
  };

  test('show in its report the same, as it was when the report was made, and how to answer', async () => {
    const page = await openReport();
    await expectSeen([
      page.getByText(/^A snapshot of .*: the run had not ended/),
      page.locator('.run-header .badge', { hasText: 'waiting for you' }),
      page.getByText('builder asks: Deploy the migration'),
      page.getByText('ralph answer q1 yes|no'),
      page.getByText(/If nobody answers by .*, "no" counts\./),
      page.getByText('$0.13 of $2.00 + turn 6'),
      page.locator('.evidence .red', { hasText: /tests.*✗ red/s }),
      page.getByText('not ok 1 - refuses a refresh token that was used once'),
      page.getByText(/^Next: reviewer on build\.done, or planner on build\.blocked/),
      page.locator('#turns .row', { hasText: 'gate red' }),
    ]);
    await take('report.png', page);
    await page.close();
  });

  test('the report of a run that was stopped says by whom, what became of the question, how it goes on, and that its red gate is old', async () => {
    if (readStatus().end === null) {
      // It waits for the turn, which waits for the answer: in this order no other turn begins.
      const stop = start(folder, ['stop'], variables);
      await until('the stop', () => readInputs(folder).some(({ type }) => type === 'stop-requested'));
      ralph('answer', 'no');
      expect((await stop.done).code).toBe(0);
    }
    const page = await openReport();
    await expectSeen([
      page.getByText(/^A snapshot of .*\d\.$/),
      page.getByText(/Stopped by ralph stop.* after turn 6\./),
      page.locator('.asked', { hasText: 'answered "no"' }),
      page.getByText(/^Next: After ralph resume: the gates run on build\.done of builder\./),
      page.getByText('$0.17 of $2.00'),
      page.getByText('was red after turn 4, not run since'),
      page.locator('#turns .row.interrupted', { hasText: '■' }),
    ]);
    expect(await page.locator('.evidence .red').count()).toBe(0);
    expect(await page.locator('#turns [aria-current]').count()).toBe(0);
    await page.close();
  });
});

/** Each stands where the picture is taken, and nothing stands before it. */
async function expectSeen(parts: readonly Locator[]): Promise<void> {
  for (const part of parts) {
    const look = async (): Promise<string> => {
      const first = part.first();
      if (!(await first.isVisible())) return 'not there';
      const isOpen = await first.evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const top = element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
        return top !== null && (element.contains(top) || top.contains(element));
      });
      return isOpen ? 'seen' : 'hidden';
    };
    await expect.poll(look, { message: String(part) }).toBe('seen');
  }
}

/** Width and height of a PNG. */
function readSize(path: string): readonly number[] {
  const bytes = readFileSync(path);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
