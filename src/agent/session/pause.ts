import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after that time, or at once when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
