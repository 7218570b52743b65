/**
 * Draws docs/images/web.png and docs/images/report.png: the demo's team in the page of `ralph web` as it works, while its gate is red, and its report afterwards.
 * By hand, after a change of the page: `npm run build && npm run picture:faces`. Needs chromium.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RALPH = join(ROOT, 'bin/ralph.js');
const CHROMIUM = process.env['RALPH_FACES_CHROMIUM'] ?? '/usr/bin/chromium';
const LOOK = { viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce', timezoneId: 'UTC', locale: 'en' };

const home = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-pictures-')));
const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), TMPDIR: home, NO_COLOR: '1', TZ: 'UTC' };

/** Runs `ralph` to its end. */
function ralph(cwd, ...words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [RALPH, ...words], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`ralph ${words.join(' ')}: exit code ${code}`))));
  });
}

/** Starts `ralph web`; resolves with its address and the way to end it. */
function startWeb(cwd) {
  const child = spawn(process.execPath, [RALPH, 'web', '--port', '0'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = () => child.kill() && ended;
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve({ url: String(data).trim(), end }));
    void ended.then((code) => reject(new Error(`ralph web ended with exit code ${code}`)));
  });
}

async function takePicture(page, name) {
  await page.locator('#turns .row .name').first().waitFor();
  await page.locator('.graph .node').first().waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/images', name) });
  console.log(`docs/images/${name}`);
}

const web = await startWeb(home);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage(LOOK);
  await page.goto(web.url);
  const demo = ralph(home, 'demo', '-q');
  await page.locator('.run-link').click();
  await page.locator('.evidence .red').waitFor();
  await takePicture(page, 'web.png');
  await demo;
  const folder = join(home, readdirSync(home).find((name) => name.startsWith('ralph-demo-')) ?? '');
  await ralph(folder, 'report', '--with-outputs', '-o', 'run.html');
  const report = await browser.newPage({ ...LOOK, offline: true });
  await report.goto(pathToFileURL(join(folder, 'run.html')).href);
  await takePicture(report, 'report.png');
} finally {
  await browser.close();
  await web.end();
  rmSync(home, { recursive: true, force: true });
}
