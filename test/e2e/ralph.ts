import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command, as a user has it. */
export const RALPH = fileURLToPath(new URL('../../bin/ralph.js', import.meta.url));

const STATE_HOME = join(tmpdir(), 'ralph-e2e-state');

/** What a command left. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way. */
export interface Started {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  /** Resolves when the output so far has the text; rejects when the command ends before. */
  readonly says: (text: string) => Promise<void>;
  /** What it has said so far. */
  readonly said: () => string;
}

/** By which the tests, which have no terminal, are known as the people who started the runs. */
const TOKEN = 'token-of-the-people-in-these-tests';

/** The environment of a person: nothing of a run around this test. */
export function plainEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const {
    NODE_EXTRA_CA_CERTS: _,
    NODE_TEST_CONTEXT: __,
    RALPH_RUN_ID: ___,
    RALPH_HAT: ____,
    RALPH_EVENTS_FILE: _____,
    ...env
  } = process.env;
  // What runs note for `ralph runs --all` is not the person's who runs the tests.
  return { ...env, RALPH_TOKEN: TOKEN, NO_COLOR: '1', GIT_CONFIG_NOSYSTEM: '1', XDG_STATE_HOME: STATE_HOME, ...extra };
}

/** Starts `ralph` with these arguments, and with that text on standard input. */
export function start(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin: string | null = null,
): Started {
  const child = spawn(process.execPath, [RALPH, ...args], {
    cwd,
    env: plainEnvironment(env),
    stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  const out = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const listen = (name: 'stdout' | 'stderr'): void => {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
      for (const look of waiting) look();
    });
  };
  listen('stdout');
  listen('stderr');
  const done = new Promise<Finished>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, ...out })));
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!out.stdout.includes(text) && !out.stderr.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void done.then(() => reject(new Error(`ended without saying "${text}":\n${out.stdout}\n${out.stderr}`)));
    });
  return { child, done, says, said: () => out.stdout + out.stderr };
}

/** Runs `ralph` to its end. */
export function ralph(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return start(cwd, args, env).done;
}

/** A new folder with these files; scripts (`.sh`) are executable. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-e2e-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Gives `use` a folder and removes it afterwards. */
export async function withFolder<T>(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeFolder(files);
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The lines of an output that is one JSON object a line. */
export function readJsonLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
