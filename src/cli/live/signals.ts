import type { StopRequested } from '../../core/run/inputs.ts';
import type { CliContext, SignalSource } from '../cli-context.ts';
import { CTRL_C } from './run-lines.ts';

type StopHandler = (how: StopRequested['how'], by: string) => void;

/** Signals of a run: caught from before it starts until after it has ended. */
export interface RunSignals {
  /** Where they go from now on; what came before anybody was there is handed over. */
  readonly attach: (stop: StopHandler) => void;
  /** Gives the signals back to the system. */
  readonly release: () => void;
}

/**
 * The first Ctrl+C stops the run gracefully, a second one kills the agent at once; SIGTERM and SIGHUP stop it gracefully. While there is no run yet, a second
 * Ctrl+C ends the command as it would without us.
 *
 * @param by who is said to interrupt: the person's keys, or what passes them on
 * @param die what ends the command; `null`: a second Ctrl+C waits for the run, as the first one does
 */
export function catchSignals(source: SignalSource, die: (() => void) | null = dieOfInterrupt, by = CTRL_C): RunSignals {
  let stop: StopHandler | null = null;
  let interrupts = 0;
  const early: Parameters<StopHandler>[] = [];
  const pass = (...wish: Parameters<StopHandler>): void => {
    if (stop === null) early.push(wish);
    else stop(...wish);
  };
  const onInterrupt = (): void => {
    interrupts += 1;
    if (interrupts === 1) return pass('interrupt', by);
    if (stop !== null || die === null) return pass('kill', 'Ctrl+C again');
    release();
    die();
  };
  const onTerminate = (): void => pass('terminate', 'SIGTERM');
  const onHangup = (): void => pass('hangup', 'SIGHUP');
  const release = (): void => {
    source.off('SIGINT', onInterrupt);
    source.off('SIGTERM', onTerminate);
    source.off('SIGHUP', onHangup);
  };
  source.on('SIGINT', onInterrupt);
  source.on('SIGTERM', onTerminate);
  source.on('SIGHUP', onHangup);
  return {
    attach: (target) => {
      stop = target;
      for (const wish of early.splice(0)) target(...wish);
    },
    release,
  };
}

/** Ends the process as a closed terminal does. The engine's own exit falls over a terminal that is gone. */
export function dieOfHangup(): void {
  process.kill(process.pid, 'SIGHUP');
}

function dieOfInterrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

/** The exit code of a command that was stopped. */
export type StoppedBy = 129 | 130 | 143;

export function toStoppedBy(how: StopRequested['how']): StoppedBy {
  return how === 'terminate' ? 143 : how === 'hangup' ? 129 : 130;
}

/**
 * Does work that starts programs: Ctrl+C or a signal to end aborts it, so that it can end them, and it is waited for; a second Ctrl+C waits for nobody.
 *
 * @returns what the work gives, and the exit code of the command where it was stopped
 */
export async function untilStopped<Result>(
  { signals }: Pick<CliContext, 'signals'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly stoppedBy: StoppedBy | null }> {
  const leaving = new AbortController();
  const caught = catchSignals(signals);
  let stoppedBy: StoppedBy | null = null;
  caught.attach((how) => {
    stoppedBy ??= toStoppedBy(how);
    leaving.abort();
    if (how !== 'kill') return;
    caught.release();
    process.kill(process.pid, 'SIGINT');
  });
  const result = await work(leaving.signal).finally(caught.release);
  return { result, stoppedBy };
}

/** As {@link untilStopped}, but a second Ctrl+C is passed on as `kill` and waited for, too: what the work has started is ended by it alone. */
export async function untilEnded<Result>(
  { signals }: Pick<CliContext, 'signals'>,
  work: (stop: AbortSignal, kill: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly stoppedBy: StoppedBy | null }> {
  const [stop, kill] = [new AbortController(), new AbortController()];
  const caught = catchSignals(signals, null);
  let stoppedBy: StoppedBy | null = null;
  caught.attach((how) => {
    stoppedBy ??= toStoppedBy(how);
    stop.abort();
    if (how === 'kill') kill.abort();
  });
  const result = await work(stop.signal, kill.signal).finally(caught.release);
  return { result, stoppedBy };
}

/** Ctrl+C and SIGTERM end what is not under way yet; a terminal that closes does not. */
export async function withAbort<Result>({ signals }: CliContext, call: (abort: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const caught = catchSignals(signals);
  caught.attach((how) => (how === 'hangup' ? undefined : controller.abort()));
  try {
    return await call(controller.signal);
  } finally {
    caught.release();
  }
}

/** Signals of a process that goes on when its terminal is closed. */
export function withoutHangup(signals: CliContext['signals']): CliContext['signals'] {
  const ignore = (): void => undefined;
  return {
    on: (signal, listener) => signals.on(signal, signal === 'SIGHUP' ? ignore : listener),
    off: (signal, listener) => (signal === 'SIGHUP' ? undefined : signals.off(signal, listener)),
  };
}

type SignalName = Parameters<SignalSource['on']>[0];

const SIGNALS: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Signals for several runs at once, and a word to who starts them. */
interface SignalFan {
  /** Where each run listens. */
  readonly source: SignalSource;
  /** Gives the signals back to the system. */
  readonly release: () => void;
}

/**
 * Hands each signal to all who listen at that moment, after `onSignal`, which is told of every one.
 *
 * @param onSignal the name of the signal, and how many came, this one included
 */
export function createSignalFan(real: SignalSource, onSignal: (signal: SignalName, count: number) => void): SignalFan {
  const listeners = new Map<SignalName, Set<() => void>>(SIGNALS.map((signal) => [signal, new Set()]));
  let count = 0;
  const hooks = SIGNALS.map((signal) => {
    const hook = (): void => {
      count += 1;
      onSignal(signal, count);
      for (const listener of [...(listeners.get(signal) ?? [])]) listener();
    };
    real.on(signal, hook);
    return [signal, hook] as const;
  });
  return {
    source: {
      on: (signal, listener) => listeners.get(signal)?.add(listener),
      off: (signal, listener) => listeners.get(signal)?.delete(listener),
    },
    release: () => {
      for (const [signal, hook] of hooks) real.off(signal, hook);
    },
  };
}
