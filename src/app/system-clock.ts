import type { Clock } from '../ports/index.ts';

/** Node's timers stand still while the machine sleeps: a later time is reached in steps, each by the wall clock. */
const LONGEST_TIMEOUT_MS = 15_000;

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), setTimer };

function setTimer(dueAt: number, fire: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = dueAt - Date.now();
    timer = leftMs > LONGEST_TIMEOUT_MS ? setTimeout(wait, LONGEST_TIMEOUT_MS) : setTimeout(fire, Math.max(0, leftMs));
  };
  wait();
  return () => clearTimeout(timer);
}
