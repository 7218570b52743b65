import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import type { AppContext } from './cli-command.ts';
import { createTerminal, type OutputStream } from './terminal/terminal.ts';

/** What loads code, so that nothing is bundled with what does not need it. */
type Loaders = Pick<AppContext, 'loadApp' | 'loadWorker' | 'loadWatch' | 'loadCommand'>;

interface Outputs {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** The context of a command in this process; its outputs are the engine's own streams, unless others are given. */
export function createContext(given: Environment, loaders: Loaders, { stdout, stderr }: Outputs = process): AppContext {
  const { RALPH_DETACHED: detached, ...own } = given;
  const env = Object.fromEntries(Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return {
    cwd: findFolder(),
    env,
    terminal: createTerminal(stdout, stderr, env),
    signals: process,
    readStdin,
    tellBegun: detached === undefined || process.send === undefined ? null : tellBegun,
    isViewed: detached === 'viewed',
    get ask() {
      // Asking `process.stdin` would open it, which loads the streams of files.
      const { isatty } = process.getBuiltinModule('node:tty');
      return isatty(0) && isatty(2) ? askPerson : null;
    },
    get openFullScreen() {
      const { isatty } = process.getBuiltinModule('node:tty');
      return wantsFullScreen(env, isatty(0) && isatty(1)) ? openFullScreen : null;
    },
    now: () => Date.now(),
    every: (periodMs, call) => {
      const timer = setInterval(call, periodMs);
      return () => clearInterval(timer);
    },
    ...loaders,
  };
}

/** Whether a person sits before a whole terminal and wants it drawn on. */
function wantsFullScreen(env: Environment, isTty: boolean): boolean {
  if (!isTty || env['TERM'] === 'dumb' || (env['CI'] ?? '') !== '') return false;
  return (env['ACCESSIBLE'] ?? '') === '' || env['ACCESSIBLE'] === '0';
}

/** Loaded by who shows a view: opening the streams of the terminal takes time. */
async function openFullScreen(): ReturnType<NonNullable<AppContext['openFullScreen']>> {
  const { createFullScreen } = await import('./terminal/full-screen.ts');
  return createFullScreen(process.stdin, process.stdout);
}

/** One line, then the channel is closed: nothing else goes over it. Who started this may be gone. */
function tellBegun(runId: string): void {
  process.send?.({ runId }, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
}

async function readStdin(maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function findFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new RalphError({
      code: 'folder-gone',
      what: `The folder you are in cannot be used (${toErrorCode(error)}).`,
      why: 'It was removed or moved since you went there.',
      fix: 'Go to one that exists: cd',
    });
  }
}

/** Asks on the terminal; the end of the input counts as an empty answer. The question goes to standard error, results stay clean. */
async function askPerson(question: string): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
