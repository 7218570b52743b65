import { setTimeout as pause } from 'node:timers/promises';
import type { Fleet } from '../ports/fleet.ts';
import { toFolderGone } from './folder-files.ts';
import { type AskedAnswer, type AwayHearer, createSilenceWatch } from './silence-watch.ts';

/** How often it is looked whether a fleet is there. */
const LOOK_MS = 2000;

/**
 * Looks again and again whether a fleet is there, until it is aborted, or another one is in its place.
 *
 * @param hear is told that it does not answer, and that it does again
 * @returns whether another one is in its place
 */
export async function watchFleet(
  { check }: Pick<Fleet, 'check'>,
  hear: AwayHearer,
  stop: AbortSignal,
  everyMs = LOOK_MS,
): Promise<boolean> {
  const silence = createSilenceWatch();
  // A question that is still open then is nobody's any more.
  silence.onAway((...news) => {
    if (!stop.aborted) hear(...news);
  });
  // Who is told to end does not wait for an answer.
  const over = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  while (!stop.aborted) {
    let isOther = false;
    const ask = async (): Promise<AskedAnswer> => {
      try {
        const fate = await check();
        isOther = fate === 'other';
        return fate === 'gone' ? { refusal: toFolderGone() } : !isOther;
      } catch (refusal) {
        return { refusal };
      }
    };
    const asked = ask();
    await Promise.race([silence.during(asked), over]);
    if (isOther && !stop.aborted) return true;
    await pause(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
  return false;
}
