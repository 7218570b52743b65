import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessRef, selectAlive } from './process-identity.ts';
import { steadyMs } from './steady-time.ts';

const firstPauseMs = 2;
const longestPauseMs = 50;

/** Waits until none of these runs any more, at most `waitMs`. The system tells nobody but a parent, so it is asked again and again. */
export async function waitUntilGone(processes: readonly ProcessRef[], waitMs: number): Promise<void> {
  const deadline = steadyMs() + waitMs;
  let alive = selectAlive(processes);
  for (let pauseMs = firstPauseMs; alive.length > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const leftMs = deadline - steadyMs();
    if (leftMs <= 0) return;
    await delay(Math.min(pauseMs, leftMs));
    alive = selectAlive(alive);
  }
}
