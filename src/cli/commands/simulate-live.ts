import type { Simulation } from '../../simulate/index.ts';
import type { CliContext } from '../cli-context.ts';

type Stop = 'SIGINT' | 'SIGTERM';

/** How long it is played before signals are looked at. */
const SLICE_MS = 50;
/** A look at the clock costs as much as a turn. */
const RUNS_A_LOOK = 20;
/** From then on a person wants to know how far it is. */
const PATIENCE_MS = 1000;

/**
 * Plays all runs. On a terminal it tells how far it is where it takes long; a signal breaks it off.
 *
 * @returns the signal that broke it off, or `null`
 */
export async function playInterruptibly({ terminal, signals, now }: CliContext, simulation: Simulation): Promise<Stop | null> {
  let stop: Stop | null = null;
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const listen = (): void => {
      stop = name;
    };
    signals.on(name, listen);
    return { name, listen };
  });
  const startedAt = now();
  let isShown = false;
  try {
    while (stop === null && playSlice(simulation, now)) {
      if (terminal.isTty && now() - startedAt > PATIENCE_MS) {
        isShown = true;
        terminal.err(`\r${simulation.done()} of ${simulation.runs} runs`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    if (isShown) terminal.err('\r\u001b[K');
    for (const { name, listen } of listeners) signals.off(name, listen);
  }
  return stop;
}

/** False when all runs are played. */
function playSlice(simulation: Simulation, now: () => number): boolean {
  const until = now() + SLICE_MS;
  do {
    for (let count = 0; count < RUNS_A_LOOK; count += 1) if (!simulation.runNext()) return false;
  } while (now() < until);
  return true;
}
