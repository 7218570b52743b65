import { createHash, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { HookEvent, HookFile, HookHandler, HookOutcome, HookSpec } from '../core/hooks/hook-spec.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { toOneLine } from '../core/text/shorten.ts';
import type { Environment } from '../core/values/environment.ts';
import type { Json } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import type { AskAway } from '../ports/hook-runner.ts';
import { createBoundedBuffer } from '../process/bounded-buffer.ts';
import type { ProcessResult } from '../process/contract.ts';
import { startProcess, toShellCommand } from '../process/start-process.ts';
import { PYTHON_BRIDGE, PYTHON_IMPORT_FAILED } from './python-bridge.ts';

/** Where handlers run: with the rights of whoever started Ralph, outside of the agent's sandbox. */
export interface HandlerPlace {
  /** Absolute; the folder that the agent works in. */
  readonly cwd: string;
  /** The environment of the turn; handlers get a few harmless variables of it. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The turn's: by it what hooks start is found, also after a crash. */
  readonly marker: string;
  readonly residents: ResidentPrograms;
  /** Asks those that need a worker; absent: all of them run here. */
  readonly askAway?: AskAway;
}

/** What came back from a program that stays: a line, or its end. */
export type ResidentReply =
  | ({ readonly kind: 'line' } & ResidentLine)
  /** `rest`: the line that it did not bring to an end. */
  | { readonly kind: 'ended'; readonly result: ProcessResult; readonly rest: ResidentLine | null }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'stopped' };

/** What may be an answer. */
export interface ResidentLine {
  readonly line: string;
  readonly isCut: boolean;
}

/** How such a program is started, should it not run yet. */
export interface ResidentOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Of its start: a program that runs keeps what it was given. */
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly maxLineBytes: number;
  readonly signal: AbortSignal;
  readonly marker: string;
}

/** Programs that are asked line by line: one that is there for each command line, for as long as the turn. */
export interface ResidentPrograms {
  /**
   * Writes one line and waits for one. Questions to the same program wait for each other. A program that gives no answer in time, or more than one answer
   * to a question, is ended, and started again for the next one. Never rejects.
   */
  readonly ask: (order: ResidentOrder, line: string) => Promise<ResidentReply>;
  /** Ends them all, also those that are just asked; none is started behind it. Settles when nothing of them runs any more. */
  readonly close: () => Promise<void>;
}

const GRACE_MS = 2000;
/** A longer answer is no answer. A denial with a long reason must not become one by being cut. */
const MAX_ANSWER_MB = 16;
const MAX_ANSWER_BYTES = MAX_ANSWER_MB << 20;
/** Of what a program prints as an error only so much is kept: its beginning is the reason of a denial. */
const MAX_ERROR_BYTES = 64 << 10;
const MAX_REASON = 2000;
/** Exit code of a hook that denies. Source: the hooks of Claude Code and Gemini CLI. */
const DENIES = 2;
/** Exit codes of a shell, and of `env`, for a program that may not be run or is not there. */
const NOT_RUN = [126, 127];

/** Asks one hook. Never rejects: one that cannot even be told of the call was not started. */
export async function runHandler(spec: HookSpec, event: HookEvent, place: HandlerPlace): Promise<HookOutcome> {
  try {
    return await askHandler(spec, event, place);
  } catch (error) {
    return { kind: 'not-started', problem: `it cannot be asked: ${toThrownText(error)}` };
  }
}

async function askHandler(spec: HookSpec, event: HookEvent, place: HandlerPlace): Promise<HookOutcome> {
  const { handler, timeoutMs } = spec;
  // Calls at the same time have their hooks at the same time: many listeners, and each of them goes with its hook.
  setMaxListeners(0, place.signal);
  const changed = findChange(handler);
  if (changed !== null) return { kind: 'not-started', problem: changed, isFileChanged: true };
  switch (handler.kind) {
    case 'command':
      return runProgram(handler.argv, spec, event, place);
    case 'shell': {
      const { command, args } = toShellCommand(handler.line);
      return runProgram([command, ...args], spec, event, place);
    }
    case 'python':
      return runProgram(['python3', '-c', PYTHON_BRIDGE, handler.path, ...handler.folders, place.cwd], spec, event, place);
    case 'module':
      return runModule(handler, event, timeoutMs, place.signal);
  }
}

/** A hook that an agent could have rewritten would let through whatever the agent likes. */
function findChange(handler: HookHandler): string | null {
  const file = handler.kind === 'command' || handler.kind === 'module' ? handler.file : null;
  if (file === null) return null;
  const now = findFileHash(file.path);
  if (now === null) return `${maskControls(file.path)} cannot be read`;
  return now === file.sha256
    ? null
    : `${maskControls(file.path)} was changed since the run began: read what it says now, then resume the run`;
}

/** Node.js reads no larger file whole: none was read with the configuration either. */
const MAX_FILE_BYTES = 2 ** 31 - 1;
const HASHED_AT_ONCE_BYTES = 1 << 20;

/**
 * SHA-256 of a file, in hexadecimal; `null` where it cannot be read. An agent may have put a pipe there, on which reading waits for ever, a device without
 * end, or a file that is larger than the memory.
 */
export function findFileHash(path: string): string | null {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return null;
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(Math.min(stats.size + 1, HASHED_AT_ONCE_BYTES));
    let total = 0;
    for (let count = readSync(handle, piece); count > 0; count = readSync(handle, piece)) {
      total += count;
      // It grows while it is read.
      if (total > MAX_FILE_BYTES) return null;
      hash.update(piece.subarray(0, count));
    }
    return hash.digest('hex');
  } catch {
    return null;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

async function runProgram(argv: readonly string[], spec: HookSpec, event: HookEvent, place: HandlerPlace): Promise<HookOutcome> {
  const { cwd, signal, residents } = place;
  const env = { ...toHookEnvironment(place.env, event), ...spec.env };
  const { timeoutMs } = spec;
  const text = JSON.stringify(event);
  if (spec.isKeptAlive === true || spec.handler.kind === 'python') {
    const reply = await residents.ask({ argv, cwd, env, timeoutMs, maxLineBytes: MAX_ANSWER_BYTES, signal, marker: place.marker }, text);
    switch (reply.kind) {
      case 'line':
        return toAnswered(readOutput(reply.isCut ? null : reply.line));
      case 'timed-out':
        return { kind: 'timed-out', answer: null };
      case 'stopped':
        return STOPPED;
      case 'ended': {
        const { result, rest } = reply;
        const read = rest === null ? { answer: null, problem: 'it ended without an answer' } : readOutput(rest.isCut ? null : rest.line);
        return toEnded(result, result.stderrTail, read, spec.handler);
      }
    }
  }
  const [command = '', ...args] = argv;
  const printed = createOutputHead(MAX_ANSWER_BYTES, 'nothing');
  const errors = createOutputHead(MAX_ERROR_BYTES, 'beginning');
  const handle = startProcess({
    command,
    args,
    cwd,
    env,
    input: { kind: 'text', text },
    marker: `${place.marker}.hook.${randomUUID()}`,
    timeoutMs,
    stopGraceMs: GRACE_MS,
    onStdoutBytes: printed.push,
    onStderrBytes: errors.push,
  });
  const stop = (): void => void handle.stop(GRACE_MS);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const result = await handle.result;
  signal.removeEventListener('abort', stop);
  return toEnded(result, errors.text() ?? '', readOutput(printed.text()), spec.handler);
}

export const STOPPED = { kind: 'failed', problem: 'it was stopped with the turn', answer: null } as const satisfies HookOutcome;

/** What the end of a program means. */
function toEnded(result: ProcessResult, stderr: string, read: ReadOutput, { kind }: HookHandler): HookOutcome {
  const said = toReason(stderr);
  if (result.status === 'spawn-error')
    return { kind: 'not-started', problem: `it cannot be started: ${result.error?.message ?? 'unknown'}` };
  const { exitCode, stopReason } = result;
  if (stopReason !== undefined && stopReason !== 'timeout') return { ...STOPPED, answer: read.answer };
  // Also as the last that it says, when its time is over.
  if (exitCode === DENIES) return { kind: 'denied', reason: said, answer: read.answer };
  if (stopReason === 'timeout') return { kind: 'timed-out', answer: read.answer };
  if (exitCode !== null && NOT_RUN.includes(exitCode)) return { kind: 'not-started', problem: `it cannot be started: ${said}` };
  if (kind === 'python' && exitCode === PYTHON_IMPORT_FAILED) return { kind: 'not-started', problem: said };
  if (exitCode !== 0) {
    const how = exitCode === null ? `it ended by ${result.signal ?? 'a signal'}` : `it ended with exit code ${exitCode}`;
    return { kind: 'failed', problem: said === '' ? how : `${how}: ${said}`, answer: read.answer };
  }
  return toAnswered(read);
}

/** An answer, and what is wrong with it; `null` for nothing. */
interface ReadOutput {
  readonly answer: Json;
  readonly problem: string | null;
}

function toAnswered({ answer, problem }: ReadOutput): HookOutcome {
  return problem === null ? { kind: 'answered', answer } : { kind: 'failed', problem, answer: null };
}

/**
 * Text that does not begin like an object is no answer: whoever writes hooks prints while looking for a mistake.
 *
 * @param stdout `null`: it was too long
 */
function readOutput(stdout: string | null): ReadOutput {
  if (stdout === null) return { answer: null, problem: `it printed more than ${MAX_ANSWER_MB} MB` };
  const text = stdout.trim();
  if (!text.startsWith('{')) return { answer: null, problem: null };
  return tryOr(() => ({ answer: JSON.parse(text) as Json, problem: null }), {
    answer: null,
    problem: 'it printed what begins like JSON but is not valid',
  });
}

/** Of several lines one: reasons stand in tables and in sentences. */
function toReason(text: string): string {
  return maskControls(toOneLine(text.trim(), MAX_REASON));
}

const HARMLESS = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|TERM|NO_COLOR|XDG_[A-Z_]+|SYSTEMROOT)$/;

/** Keys of providers and tokens of the run are none of a hook's business. */
function toHookEnvironment(env: Environment, event: HookEvent): Environment {
  const own = {
    HOOK_TYPE: event.hook_type,
    TOOL_NAME: event.tool_name,
    SESSION_ID: event.session_id,
    AGENT_ID: event.agent_id ?? '',
    ORCHESTRATOR_ID: event.orchestrator_id,
  };
  const named = Object.entries(own).flatMap(([name, value]) => [
    [`RALPH_${name}`, value],
    [`MASSGEN_${name}`, value],
  ]);
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name))), ...Object.fromEntries(named) };
}

type HookFunction = (event: HookEvent, context: { readonly signal: AbortSignal }) => unknown;

async function runModule(
  handler: { readonly file: HookFile; readonly exported: string },
  event: HookEvent,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookOutcome> {
  if (signal.aborted) return STOPPED;
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  // Keeps the process up, unlike the timer of `AbortSignal.timeout`: somebody waits for this.
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const outcome = await Promise.race([callFunction(handler, structuredClone(event), ended.signal), waitForAbort(ended.signal)]);
    return outcome ?? (signal.aborted ? STOPPED : { kind: 'timed-out', answer: null });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Never rejects. */
async function callFunction(
  { file, exported }: { readonly file: HookFile; readonly exported: string },
  event: HookEvent,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const found = await loadFunction(file, exported);
  if (typeof found === 'string') return { kind: 'not-started', problem: found };
  if (signal.aborted) return STOPPED;
  try {
    const answer = await found(event, { signal });
    // What a function returns is data only once it has been through JSON.
    const text = JSON.stringify(answer ?? null) ?? 'null';
    if (text.length > MAX_ANSWER_BYTES) return { kind: 'failed', problem: `it answered with more than ${MAX_ANSWER_MB} MB`, answer: null };
    return { kind: 'answered', answer: JSON.parse(text) as Json };
  } catch (error) {
    return { kind: 'failed', problem: `it threw ${toThrownText(error)}`, answer: null };
  }
}

function toThrownText(error: unknown): string {
  return tryOr(() => toReason(String(error)), 'something without a text');
}

function waitForAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

async function loadFunction({ path }: HookFile, exported: string): Promise<HookFunction | string> {
  try {
    const loaded: unknown = await import(pathToFileURL(path).href);
    const found = (loaded as Record<string, unknown>)[exported];
    return typeof found === 'function' ? (found as HookFunction) : `${maskControls(path)} exports no function ${maskControls(exported)}`;
  } catch (error) {
    return `${maskControls(path)} cannot be loaded: ${toThrownText(error)}`;
  }
}

/** The beginning of what a program prints, in bounded memory however long it goes on. */
interface OutputHead {
  readonly push: (bytes: Buffer) => void;
  /** `null`: it was too long, and nothing of it is wanted. */
  readonly text: () => string | null;
}

/** Keeps the first `maxBytes`; of more than that its beginning, or nothing: many programs may print without end at the same time. */
function createOutputHead(maxBytes: number, ofMore: 'beginning' | 'nothing'): OutputHead {
  const head = createBoundedBuffer(maxBytes);
  let isOver = false;
  return {
    push(bytes) {
      if (isOver) return;
      isOver = head.add(bytes, 0, bytes.length) < bytes.length;
      if (isOver && ofMore === 'nothing') head.clear(0);
    },
    text: () => (isOver && ofMore === 'nothing' ? null : head.look().toString('utf8')),
  };
}
