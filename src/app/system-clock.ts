import type { Clock } from '../ports/index.ts';

/** Node's timers hold at most 2^31-1 ms; a later time is reached in several steps. */
const LONGEST_TIMEOUT_MS = 2_000_000_000;

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
