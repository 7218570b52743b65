import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findPackageFolder } from '../config/layers/package-files.ts';
import { toDurationText } from '../core/text/duration.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { type Json, toJsonObject } from '../core/values/json.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createRunId, listRunIds, toRunPaths } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import { requireLayout, toLayout } from './layout.ts';

/** A run that is to outlive the command that starts it. */
export interface DetachOrder {
  readonly cwd: string;
  /** Relative to `cwd`. */
  readonly stateDir: string;
  /** The words after `ralph`. */
  readonly words: readonly string[];
  /** What stands on its standard input; `null`: nothing. */
  readonly stdin: string | null;
  readonly env: Environment;
  /** Ends the process if it comes before the run has begun. */
  readonly abort: AbortSignal;
  /** True where a person looks at the run and can be asked. Default: nobody does. */
  readonly isViewed?: boolean;
}

/** What runs, and how long it may take to begin; tests have a program of their own. */
export interface DetachLimits {
  /** The words before those of the order. Default: this Ralph. */
  readonly command?: readonly string[];
  /** Default: two minutes. */
  readonly patienceMs?: number;
}

/** A run that is under way in a process of its own, or what a process said that ended before it had one. */
export type Detached =
  | {
      readonly kind: 'running';
      readonly runId: string;
      readonly pid: number;
      readonly log: string;
      /** The exit code of the process, once it has ended while this one is there; `null`: a signal ended it. Nothing waits for it by itself. */
      readonly exited: Promise<number | null>;
    }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly output: string };

const PATIENCE_MS = 120_000;
/** How long a process that has not begun its run may take to end. */
const GRACE_MS = 5000;
const MAX_TOLD_CHARS = 4000;

/** The variable that tells a process that it is one: it says when its run has begun, by the channel to whoever started it, and does not heed a hangup. */
const DETACHED = 'RALPH_DETACHED';

/**
 * Starts `ralph` with these words in a session of its own: closing the terminal does not reach it. What it prints goes to `output.log` in the run's folder. Resolves when
 * it says that its run has begun (the first input is in the journal), or has ended with words of its own.
 *
 * @throws RalphError `state-folder`; `detach-interrupted`; `detach-failed` for a process that died without a word or did not begin in time: it is ended then
 */
export async function startDetached(order: DetachOrder, limits: DetachLimits = {}): Promise<Detached> {
  const { cwd, words, env, stdin, abort } = order;
  const { stateDir } = requireLayout(toLayout(cwd, order.stateDir));
  const isNew = !existsSync(stateDir);
  ensureStateFolders(nodeFileSystem, [stateDir]);
  const draft = join(stateDir, `output-${createRunId(Date.now(), Math.random)}.log`);
  const fd = openSync(draft, 'wx', 0o600);
  const [program = process.execPath, ...before] = limits.command ?? [process.execPath, join(findPackageFolder(), 'bin', 'ralph.js')];
  const child = spawn(program, [...before, ...words], {
    cwd,
    env: { ...env, [DETACHED]: order.isViewed === true ? 'viewed' : '1' },
    detached: true,
    stdio: [stdin === null ? 'ignore' : 'pipe', fd, fd, 'ipc'],
  });
  closeSync(fd);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  // It may end without having read it.
  child.stdin?.on('error', () => undefined).end(stdin);
  const isRun = (runId: string): boolean => listRunIds({ fs: nodeFileSystem, stateDir }).includes(runId);
  const beginning = await hearBeginning(child, isRun, abort, limits.patienceMs ?? PATIENCE_MS);
  if (beginning.kind === 'begun') {
    const { runId } = beginning;
    const log = join(toRunPaths(stateDir, runId).folder, 'output.log');
    renameSync(draft, log);
    child.unref();
    return { kind: 'running', runId, pid: child.pid ?? 0, log, exited };
  }
  const output = readFileSync(draft, 'utf8');
  rmSync(draft);
  if (isNew && readdirSync(stateDir).every((name) => name === '.gitignore')) rmSync(stateDir, { recursive: true });
  if (beginning.kind === 'ended' && beginning.exitCode !== null && output !== '') {
    return { kind: 'ended', exitCode: beginning.exitCode, output };
  }
  throw abort.aborted ? toInterrupted() : toFailed(beginning.how, output);
}

type DetachedBeginning =
  | { readonly kind: 'begun'; readonly runId: string }
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly how: string }
  | { readonly kind: 'silent'; readonly how: string };

/** Waits for the one message of the process, its end, or the end of patience: then it is ended. */
async function hearBeginning(
  child: ChildProcess,
  isRun: (runId: string) => boolean,
  abort: AbortSignal,
  patienceMs: number,
): Promise<DetachedBeginning> {
  const over = new AbortController();
  const heard = new Promise<DetachedBeginning>((resolve) => {
    child.once('message', (message: Json) => {
      const { runId = null } = toJsonObject(message);
      if (typeof runId === 'string' && isRun(runId)) resolve({ kind: 'begun', runId });
    });
    child.once('error', (error) => resolve({ kind: 'ended', exitCode: null, how: `could not be started: ${error.message}` }));
    child.once('exit', (exitCode, signal) => {
      const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      const end = (): void => resolve({ kind: 'ended', exitCode, how });
      // What it said last comes before the channel closes, but maybe after its end.
      if (child.connected) child.once('disconnect', end);
      else end();
    });
  });
  const late = pause(patienceMs, null, { signal: AbortSignal.any([abort, over.signal]) }).then(
    (): DetachedBeginning => ({ kind: 'silent', how: `did not begin within ${toDurationText(patienceMs)}, and was ended` }),
    (): DetachedBeginning => ({ kind: 'silent', how: 'was ended' }),
  );
  const beginning = await Promise.race([heard, late]);
  over.abort();
  if (beginning.kind === 'silent') await endChild(child);
  if (child.connected) child.disconnect();
  return beginning;
}

async function endChild(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const over = new AbortController();
  await Promise.race([ended, pause(GRACE_MS, null, { signal: over.signal }).catch(() => null)]);
  over.abort();
  child.kill('SIGKILL');
  await ended;
}

function toFailed(how: string, output: string): RalphError {
  const words = output.trim().slice(-MAX_TOLD_CHARS);
  return new RalphError({
    code: 'detach-failed',
    what: `The process that was to run it ${how}; no run has begun.`,
    ...(words === '' ? {} : { why: `It said last:\n${words}` }),
    fix: 'See where it stops: the same command without --detach',
  });
}

function toInterrupted(): RalphError {
  return new RalphError({ code: 'detach-interrupted', what: 'Interrupted: no run has begun.', exitCode: 130 });
}
