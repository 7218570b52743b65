import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { quietly } from '../../core/values/result.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';

export interface TurnScript {
  /** What the agent says; several texts are several messages. */
  readonly output?: string | readonly string[];
  /** How long the turn takes, by the clock that the backend was given. Default 0. */
  readonly delayMs?: number;
  /** What the agent does, after the delay and before it speaks: append events, edit files. What it throws fails the turn. */
  readonly act?: (request: TurnRequest) => void | Promise<void>;
  /** Told after the output, before the end. */
  readonly events?: readonly BackendEvent[];
  /** Anything but 0 fails the turn. Default 0. */
  readonly exitCode?: number;
  /** Fails the turn with this, whatever the exit code. */
  readonly failure?: TurnFailure;
  /** Never ends by itself. */
  readonly hang?: boolean;
  readonly usage?: Usage;
  readonly sessionId?: string;
  readonly toolCalls?: number;
}

export interface ScriptedOptions {
  readonly clock: Clock;
  /** Default `scripted`. */
  readonly label?: string;
}

/**
 * An agent that does what turns written beforehand say, one per call and in order, inside this process: for demos, scenarios and simulations.
 * A call beyond the last turn fails and names its number. Timeouts of the request are kept by the clock.
 */
export function createScriptedBackend(turns: readonly TurnScript[], { clock, label = 'scripted' }: ScriptedOptions): Backend {
  let calls = 0;
  return {
    label,
    start(request, observe) {
      calls += 1;
      const message = `call ${calls} was not expected: the script has ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
      return followTurn(turns[calls - 1] ?? { failure: { class: 'agent', message } }, request, observe, clock);
    },
  };
}

function followTurn(turn: TurnScript, request: TurnRequest, observe: (event: BackendEvent) => void, clock: Clock): RunningTurn {
  const startedAt = clock.now();
  const messages = turn.output === undefined ? [] : typeof turn.output === 'string' ? [turn.output] : turn.output;
  const cancels: (() => void)[] = [];
  let isSettled = false;
  let settle: (result: TurnResult) => void = () => {};
  const result = new Promise<TurnResult>((resolve) => (settle = resolve));

  const tell = (event: BackendEvent): void => {
    // A subscriber can only watch.
    if (!isSettled) quietly(() => observe(event));
  };
  const end = (status: TurnResult['status'], failure: TurnFailure | null, hasSpoken: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    for (const cancel of cancels) cancel();
    settle({
      status,
      failure,
      exitCode: status === 'stopped' || failure?.class === 'spawn' ? null : (turn.exitCode ?? (failure === null ? 0 : 1)),
      durationMs: clock.now() - startedAt,
      usage: hasSpoken ? (turn.usage ?? UNKNOWN_USAGE) : UNKNOWN_USAGE,
      sessionId: turn.sessionId ?? null,
      toolCalls: turn.toolCalls ?? null,
      producedOutput: hasSpoken && messages.some((message) => message.trim() !== ''),
      leftovers: 0,
      logError: null,
    });
  };
  const speak = (): void => {
    if (turn.sessionId !== undefined) tell({ type: 'session', sessionId: turn.sessionId, model: null });
    for (const text of messages) {
      if (text !== '') tell({ type: 'text', text });
      if (text !== '') tell({ type: 'message-end' });
    }
    for (const event of turn.events ?? []) tell(event);
    if (turn.usage !== undefined) tell({ type: 'usage', usage: turn.usage });
  };
  const follow = async (): Promise<void> => {
    tell({ type: 'started', pid: null, processStart: null, argv: ['scripted'] });
    if ((turn.delayMs ?? 0) > 0)
      await new Promise<void>((resolve) => cancels.push(clock.setTimer(startedAt + (turn.delayMs ?? 0), resolve)));
    if (isSettled) return;
    await turn.act?.(request);
    speak();
    if (turn.hang !== true) end(toFailure(turn) === null ? 'succeeded' : 'failed', toFailure(turn), true);
  };

  watchLimits(request, clock, cancels, (failure) => end('failed', failure, false));
  queueMicrotask(() => {
    follow().catch((error: unknown) => end('failed', { class: 'agent', message: `the script failed: ${String(error)}` }, false));
  });
  const stop = (): void => end('stopped', null, false);
  return { result, stop, kill: stop };
}

function toFailure(turn: TurnScript): TurnFailure | null {
  if (turn.failure !== undefined) return turn.failure;
  return (turn.exitCode ?? 0) === 0 ? null : { class: 'agent', message: `the agent ended with exit code ${turn.exitCode}` };
}

function watchLimits(request: TurnRequest, clock: Clock, cancels: (() => void)[], fail: (failure: TurnFailure) => void): void {
  const watch = (limitMs: number, failure: TurnFailure): void => {
    if (limitMs > 0) cancels.push(clock.setTimer(clock.now() + limitMs, () => fail(failure)));
  };
  watch(request.timeoutMs, { class: 'timeout', message: `the turn took longer than ${request.timeoutMs} ms` });
  watch(request.idleTimeoutMs, { class: 'idle-timeout', message: `nothing was heard from the agent for ${request.idleTimeoutMs} ms` });
}
