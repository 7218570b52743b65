/** A real browser and a real `ralph web`, for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));

/** Where the browser is; empty where it may not be installed, so that tests that need it are skipped. */
export const CHROMIUM = process.env['RALPH_FACES_CHROMIUM'] ?? '/usr/bin/chromium';

/** The browser has no sandbox of its own in a container that runs as root; it loads nothing but our page. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** Everything that a page may not have: errors, and what its policy refused. */
export function collectProblems(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}

/** A `ralph web` that is under way. */
export interface RunningWeb {
  /** With the code that counts once. */
  readonly url: string;
  /** An address with a code that nobody has used: the first, and then one that is asked for. */
  readonly createUrl: () => Promise<string>;
  readonly child: ChildProcess;
  readonly close: () => Promise<void>;
}

/** Starts `ralph web` in a folder on a port that is free. */
export async function startWeb(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[] = ['--port', '0']): Promise<RunningWeb> {
  const child = spawn(process.execPath, [RALPH, 'web', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (data: Buffer) => {
    said += String(data);
  });
  const read = (): Promise<string> =>
    new Promise((resolve, reject) => {
      child.stdout?.once('data', (data: Buffer) => resolve(String(data).trim()));
      child.once('exit', () => reject(new Error(`ralph web ended: ${said}`)));
    });
  const url = await read();
  let last = Promise.resolve('');
  let isUsed = false;
  const createUrl = (): Promise<string> => {
    if (!isUsed) {
      isUsed = true;
      return Promise.resolve(url);
    }
    last = last.then(() => {
      const next = read();
      child.kill('SIGUSR2');
      return next;
    });
    return last;
  };
  return { url, createUrl, child, close: () => end(child) };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
