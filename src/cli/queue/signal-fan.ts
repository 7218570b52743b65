import type { SignalSource } from '../cli-context.ts';

type Signal = Parameters<SignalSource['on']>[0];

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Signals for several runs at once, and a word to who starts them. */
export interface SignalFan {
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
export function createSignalFan(real: SignalSource, onSignal: (signal: Signal, count: number) => void): SignalFan {
  const listeners = new Map<Signal, Set<() => void>>(SIGNALS.map((signal) => [signal, new Set()]));
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
