/**
 * Makes docs/images/{watch,web,report}.png from the real terminal view in tmux and the real page in Chromium, of a run that waits for its person beside a red gate.
 *
 *   npm run picture:faces     needs tmux and chromium (npm run e2e:faces installs them)
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ROOT } from './sources.mjs';

const RALPH = join(ROOT, 'bin', 'ralph.js');
const IMAGES = join(ROOT, 'docs', 'images');
const SIZE = { width: 1280, height: 800 };
const SCREEN = { columns: 120, rows: 36 };
const CHROMIUM = '/usr/bin/chromium';

const TEAM = `event_loop: { max_iterations: 40, max_cost_usd: 5 }
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

const AGENT = `#!/bin/sh
say() { printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"%s","total_cost_usd":%s}\\n' "$1" "$2"; }
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count
if [ "$RALPH_HAT" = planner ]; then
  "$RALPH_BIN" emit build.task "Refuse a refresh token that was used once." > /dev/null
  say "The login keeps a refresh token alive after it was used. One step: refuse it." 0.21
else
  [ $n -lt 6 ] || "$RALPH_BIN" ask "Deploy the migration that drops the old sessions table to staging?" --choices yes,no --default no --deadline 2h > /dev/null
  echo "// attempt $n" >> src/login.mjs
  "$RALPH_BIN" emit build.done "Used tokens are refused." > /dev/null
  say "I changed src/login.mjs; all tests pass now." 0.64
fi
`;

const TESTS = `import assert from 'node:assert';
import { test } from 'node:test';
import { refresh } from '../src/login.mjs';
test('refuses a refresh token that was used once', () => assert.equal(refresh(true), 'refused'));
test('gives a new token for a fresh one', () => assert.equal(refresh(false), 'new token'));
`;

/** The terminal's own colours, as most have them on a dark ground. */
const COLOURS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#76e3ea', 90: '#8b949e' };

function makeProject(home) {
  const folder = join(home, 'shop');
  for (const name of ['src', 'test']) mkdirSync(join(folder, name), { recursive: true });
  const files = { 'ralph.yml': TEAM, 'agent.sh': AGENT, 'test/login.test.mjs': TESTS, '.gitignore': 'count\n.ralph\n.agent\n' };
  files['src/login.mjs'] = "export const refresh = (used) => 'new token';\n";
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(join(folder, 'agent.sh'), 0o755);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.invalid', ...args], { cwd: folder });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'The login');
  return folder;
}

async function waitForQuestion(ralph) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (JSON.parse(ralph('asks', '--format', 'json')).open.length > 0) return;
    await pause(200);
  }
  throw new Error('nobody asked');
}

async function drawTerminal(browser, folder, env) {
  const socket = `ralph-picture-${process.pid}`;
  const tmux = (...args) => execFileSync('tmux', ['-L', socket, ...args], { cwd: folder, env, encoding: 'utf8' });
  const size = ['-x', String(SCREEN.columns), '-y', String(SCREEN.rows)];
  tmux('new-session', '-d', ...size, `${process.execPath} ${RALPH} watch`);
  await pause(3000);
  const screen = tmux('capture-pane', '-e', '-p');
  tmux('kill-server');
  const page = await browser.newPage({ deviceScaleFactor: 1 });
  await page.setContent(
    `<body style="margin:0;background:#0d1117"><pre style="margin:0;padding:14px;display:inline-block;background:#0d1117;color:#d4d8de;font:14px/1.25 'DejaVu Sans Mono',monospace">${toHtml(screen)}</pre>`,
  );
  await page.locator('pre').screenshot({ path: join(IMAGES, 'watch.png') });
  await page.close();
}

const SGR = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`);

/** What tmux says of colours (SGR), as HTML. */
function toHtml(screen) {
  const style = { colour: '', isBold: false, isFaint: false, isReverse: false };
  const spans = screen.split(SGR).map((part, index) => {
    if (index % 2 === 1) {
      for (const code of part.split(';').map(Number)) applyCode(style, code);
      return '';
    }
    return part === '' ? '' : `<span style="${toCss(style)}">${escapeHtml(part)}</span>`;
  });
  return spans.join('');
}

function applyCode(style, code) {
  if (code === 0) Object.assign(style, { colour: '', isBold: false, isFaint: false, isReverse: false });
  else if (code === 1) style.isBold = true;
  else if (code === 2) style.isFaint = true;
  else if (code === 7) style.isReverse = true;
  else if (code === 22) Object.assign(style, { isBold: false, isFaint: false });
  else if (code === 27) style.isReverse = false;
  else if (code === 39) style.colour = '';
  else style.colour = COLOURS[code] ?? COLOURS[code - 60] ?? style.colour;
}

function toCss({ colour, isBold, isFaint, isReverse }) {
  const [front, ground] = isReverse ? ['#0d1117', colour || '#d4d8de'] : [colour || '#d4d8de', 'transparent'];
  return `color:${front};background:${ground};${isBold ? 'font-weight:bold;' : ''}${isFaint ? 'opacity:.7;' : ''}`;
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

async function drawWeb(browser, folder, env) {
  const web = spawn(process.execPath, [RALPH, 'web', '--port', '0'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((resolve) => web.stdout.once('data', (text) => resolve(String(text).trim())));
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(url);
  await page.locator('a.run-link').first().click();
  await page.locator('.graph svg').waitFor();
  await pause(1000);
  await page.screenshot({ path: join(IMAGES, 'web.png') });
  await page.close();
  web.kill('SIGTERM');
}

async function drawReport(browser, folder, ralph) {
  ralph('report', '-o', 'run.html');
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(pathToFileURL(join(folder, 'run.html')).href);
  await page.locator('.graph svg').waitFor();
  await page
    .getByRole('button', { name: /gate red/ })
    .first()
    .click();
  await pause(500);
  await page.screenshot({ path: join(IMAGES, 'report.png') });
  await page.close();
}

const home = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-pictures-')));
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  const folder = makeProject(home);
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const ralph = (...args) => execFileSync(process.execPath, [RALPH, ...args], { cwd: folder, env, encoding: 'utf8' });
  ralph('run', '--detach', '--nested', '-p', 'Fix the login: a refresh token that was used once must be refused');
  await waitForQuestion(ralph);
  await drawTerminal(browser, folder, env);
  await drawWeb(browser, folder, env);
  ralph('answer', 'no');
  ralph('stop');
  await pause(3000);
  await drawReport(browser, folder, ralph);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
