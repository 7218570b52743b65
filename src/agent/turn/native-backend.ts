import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { toErrorCode, toErrorMessage } from '../../core/values/errors.ts';
import { quietly } from '../../core/values/result.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import { endProcesses, findByMarker } from '../../process/end-processes.ts';
import type { TurnWords } from '../session/agent-turn.ts';
import { createTurnWords } from '../session/turn-words.ts';
import { type NativeAgent, type NativeTurnEnd, runNativeTurn } from './run-native-turn.ts';

/** How long a turn that was killed may take to notice. */
const KILL_GRACE_MS = 300;
/** How long one that was forced may take before it is given up. */
const GIVE_UP_MS = 2000;
/** Output without words is told at most so often. */
const ALIVE_PERIOD_MS = 1000;

/** The native agent as a backend: it runs in this process, and its tools are children of it. */
export function createNativeBackend(agent: NativeAgent): Backend {
  return { label: agent.label, start: (request, observe) => startTurn(agent, request, observe) };
}

interface StartedTurn {
  readonly agent: NativeAgent;
  readonly request: TurnRequest;
  readonly stopper: AbortController;
  readonly words: TurnWords;
  readonly guards: Safeguards;
  readonly tell: (event: BackendEvent) => void;
  readonly startedAt: number;
  /** Resolves when the turn is given up. */
  readonly givenUp: Promise<null>;
  endedFor: 'nobody' | 'person' | 'timeout' | 'idle-timeout';
}

function startTurn(agent: NativeAgent, request: TurnRequest, observe: (event: BackendEvent) => void): RunningTurn {
  let isSettled = false;
  let giveUp = (): void => undefined;
  const isDue = createThrottle(ALIVE_PERIOD_MS);
  const guards = createSafeguards(request, (kind) => end(kind, KILL_GRACE_MS));
  const turn: StartedTurn = {
    agent,
    request,
    stopper: new AbortController(),
    words: createTurnWords(),
    guards,
    startedAt: Date.now(),
    givenUp: new Promise((resolve) => {
      giveUp = () => resolve(null);
    }),
    endedFor: 'nobody',
    tell: (event) => {
      if (isSettled) return;
      guards.heard(event);
      if (event.type === 'alive' && !isDue()) return;
      // A subscriber can only watch.
      quietly(() => observe(event));
    },
  };
  let force: NodeJS.Timeout | undefined;
  const end = (why: 'person' | 'timeout' | 'idle-timeout', graceMs: number): void => {
    if (isSettled) return;
    if (turn.endedFor === 'nobody') turn.endedFor = why;
    turn.stopper.abort(why);
    clearTimeout(force);
    force = setTimeout(() => void forceEnd(request, giveUp), graceMs);
  };
  const result = runTurn(turn).then((value) => {
    isSettled = true;
    clearTimeout(force);
    guards.close();
    return value;
  });
  return {
    result,
    stop: (graceMs) => end('person', graceMs),
    kill: () => end('person', KILL_GRACE_MS),
    tell: turn.words.put,
    finish: turn.words.finish,
  };
}

/** True at most once in each period. */
function createThrottle(periodMs: number): () => boolean {
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - lastAt < periodMs) return false;
    lastAt = now;
    return true;
  };
}

/** Ends what the tools have started; a turn that does not end then is given up. */
async function forceEnd({ marker }: TurnRequest, giveUp: () => void): Promise<void> {
  await endMarked(marker, 0);
  setTimeout(giveUp, GIVE_UP_MS).unref();
}

async function runTurn(turn: StartedTurn): Promise<TurnResult> {
  // Not at once: the caller must have the turn before its first event.
  await Promise.resolve();
  const { agent, request, tell, stopper } = turn;
  let hasBegun = false;
  const begin = (facts: { readonly tools?: number }): void => {
    if (!hasBegun) tell({ type: 'started', pid: null, processStart: null, argv: [agent.label], ...facts });
    hasBegun = true;
  };
  const watch = { begin: (tools: number) => begin({ tools }), tell, signal: stopper.signal, words: turn.words, givenUp: turn.givenUp };
  const run = runNativeTurn(agent, request, watch).catch(toBrokenEnd);
  const ended = (await Promise.race([run, turn.givenUp])) ?? ABANDONED;
  begin({});
  const leftovers = ended.toolCalls === 0 ? 0 : await endMarked(request.marker, 2000);
  const { status, failure } = decideEnd(turn, ended);
  return {
    status,
    failure,
    exitCode: status === 'stopped' ? null : status === 'succeeded' ? 0 : 1,
    durationMs: Date.now() - turn.startedAt,
    usage: ended.usage,
    sessionId: request.marker === '' ? null : request.marker,
    toolCalls: ended.toolCalls,
    producedOutput: ended.hasSpoken,
    leftovers,
    logError: ended.logError,
  };
}

const ABANDONED: NativeTurnEnd = { status: 'stopped', failure: null, usage: UNKNOWN_USAGE, toolCalls: 1, hasSpoken: false, logError: null };

/** A turn breaks from inside only where a disk cannot be written. */
function toBrokenEnd(error: unknown): NativeTurnEnd {
  const code = toErrorCode(error);
  const message = toErrorMessage(error);
  const isSystem = error instanceof Error && 'code' in error && 'syscall' in error;
  const failure: TurnFailure = { class: 'agent', message: `the native agent broke off: ${message}`.slice(0, 2000) };
  return { ...ABANDONED, status: 'failed', failure, logError: isSystem ? code : null };
}

/** How the turn ended: what ended it from outside explains more than what it says itself. */
function decideEnd({ endedFor, request }: StartedTurn, ended: NativeTurnEnd): Pick<TurnResult, 'status' | 'failure'> {
  if (ended.status === 'succeeded') return { status: 'succeeded', failure: null };
  if (endedFor === 'person') return { status: 'stopped', failure: null };
  if (endedFor === 'nobody') return { status: ended.status, failure: ended.failure };
  const seconds = Math.round((endedFor === 'timeout' ? request.timeoutMs : request.idleTimeoutMs) / 1000);
  const what = endedFor === 'timeout' ? `the turn took longer than ${seconds} s` : `nothing came for ${seconds} s`;
  const work = ended.work === undefined ? '' : `. ${ended.work}`;
  return { status: 'failed', failure: { class: endedFor, message: `${what}${work}`.slice(0, 2000) } };
}

async function endMarked(marker: string, graceMs: number): Promise<number> {
  if (marker === '') return 0;
  const find = (): ReturnType<typeof findByMarker> =>
    findByMarker(marker).filter((process) => process.marker === marker || process.marker.startsWith(`${marker}.`));
  const count = find().length;
  if (count > 0) await endProcesses(find, graceMs);
  return count;
}

interface Safeguards {
  /** Something came. While tools run, silence is no fault. */
  readonly heard: (event: BackendEvent) => void;
  readonly close: () => void;
}

/** How often the clock of a turn that waits for people is looked at again. */
const HELD_LOOK_MS = 100;

/** Watches how long a turn takes and how long it is silent; time in which people are waited for does not count. A bound of 0 is none. */
function createSafeguards(
  { timeoutMs, idleTimeoutMs, hold }: Pick<TurnRequest, 'timeoutMs' | 'idleTimeoutMs' | 'hold'>,
  fire: (kind: 'timeout' | 'idle-timeout') => void,
): Safeguards {
  const startedAt = performance.now();
  let whole: NodeJS.Timeout | undefined;
  const watchWhole = (): void => {
    const leftMs = startedAt + (hold?.heldMs() ?? 0) + timeoutMs - performance.now();
    if (leftMs <= 0) return fire('timeout');
    whole = setTimeout(watchWhole, hold?.isHeld() === true ? Math.max(leftMs, HELD_LOOK_MS) : leftMs);
  };
  if (timeoutMs > 0) watchWhole();
  let idle: NodeJS.Timeout | undefined;
  let running = 0;
  const restart = (): void => {
    clearTimeout(idle);
    if (idleTimeoutMs > 0 && running === 0)
      idle = setTimeout(() => (hold?.isHeld() === true ? restart() : fire('idle-timeout')), idleTimeoutMs);
  };
  restart();
  return {
    heard: (event) => {
      if (event.type === 'tool-start') running += 1;
      if (event.type === 'tool-end') running = Math.max(0, running - 1);
      restart();
    },
    close: () => {
      clearTimeout(whole);
      clearTimeout(idle);
    },
  };
}
