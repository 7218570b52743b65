import { uptime } from 'node:os';
import type { Clock } from '../ports/clock.ts';
import { steadyMs } from '../process/steady-clock.ts';

/** A later time is reached in steps: Node's timers stand still while the machine sleeps. */
const LONGEST_TIMEOUT_MS = 15_000;
/** Below this, the seconds of `uptime` and the clock of the process only differ by rounding. */
const SHORTEST_SLEEP_MS = 2000;
/** Whether the machine slept is asked at most so often: the time is read at every piece of an agent's output, and that question goes to the system. */
const LOOK_EVERY_MS = 500;

/** What a clock is made of; tests bring their own. All in milliseconds. */
export interface TimeSources {
  /** The time of day, which somebody may set. */
  readonly wall: () => number;
  /** Time that only goes forward, whatever is set. */
  readonly steady: () => number;
  /** The same with the time that the machine slept; as exact as a second. */
  readonly awakeAndAsleep: () => number;
}

const MACHINE: TimeSources = {
  wall: () => Date.now(),
  steady: steadyMs,
  // Elsewhere the clock of the process goes on while the machine sleeps, and `uptime` follows the time of day.
  awakeAndAsleep: process.platform === 'linux' ? () => uptime() * 1000 : steadyMs,
};

/**
 * The clock of one run in one process: it begins at the time of day and goes on by what really passes. Whoever sets the machine's clock meanwhile
 * neither uses up the running time of the run nor holds its timers back. Sleep of the machine counts. It never goes back.
 */
export function createRunClock({ wall, steady, awakeAndAsleep }: TimeSources = MACHINE): Clock {
  const [wallStart, steadyStart, uptimeStart] = [wall(), steady(), awakeAndAsleep()];
  let sleptMs = 0;
  let lookedAtMs = 0;
  const now = (): number => {
    const passedMs = steady() - steadyStart;
    if (passedMs - lookedAtMs >= LOOK_EVERY_MS) {
      lookedAtMs = passedMs;
      const restMs = awakeAndAsleep() - uptimeStart - passedMs - sleptMs;
      if (restMs > SHORTEST_SLEEP_MS) sleptMs += restMs;
    }
    return wallStart + Math.round(passedMs + sleptMs);
  };
  return { now, setTimer: (dueAt, fire) => setTimer(now, dueAt, fire) };
}

function setTimer(now: () => number, dueAt: number, fire: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = dueAt - now();
    timer = leftMs > LONGEST_TIMEOUT_MS ? setTimeout(wait, LONGEST_TIMEOUT_MS) : setTimeout(fire, Math.max(0, leftMs));
  };
  wait();
  return () => clearTimeout(timer);
}
