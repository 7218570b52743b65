import type { StopRequested } from '../../core/index.ts';
import type { SignalSource } from '../cli-context.ts';
import { CTRL_C } from './input-lines.ts';

type Stop = (how: StopRequested['how'], by: string) => void;

/** Signals of a run: caught from before it starts until after it has ended. */
export interface RunSignals {
  /** Where they go once the run is there; what came before is handed over. */
  readonly attach: (stop: Stop) => void;
  /** Gives the signals back to the system. */
  readonly release: () => void;
}

/**
 * The first Ctrl+C stops the run gracefully, a second one kills the agent at once; SIGTERM and SIGHUP stop it gracefully. While there is no run yet, a second
 * Ctrl+C ends the command as it would without us.
 *
 * @param die what ends the command; `null`: a second Ctrl+C waits for the run, as the first one does
 */
export function catchSignals(source: SignalSource, die: (() => void) | null = dieOfInterrupt): RunSignals {
  let stop: Stop | null = null;
  let interrupts = 0;
  const early: Parameters<Stop>[] = [];
  const pass = (...wish: Parameters<Stop>): void => {
    if (stop === null) early.push(wish);
    else stop(...wish);
  };
  const onInterrupt = (): void => {
    interrupts += 1;
    if (interrupts === 1) return pass('interrupt', CTRL_C);
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

function dieOfInterrupt(): void {
  process.kill(process.pid, 'SIGINT');
}
