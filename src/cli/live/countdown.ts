import { type TimerPurpose, toDurationText } from '../../core/index.ts';
import type { LineWriter } from './line-writer.ts';

/** Shows how long a wait still takes. */
export interface Countdown {
  readonly start: (purpose: TimerPurpose, dueAt: number) => void;
  readonly stop: () => void;
}

const TICK_MS = 1000;

const WORDS: Readonly<Record<TimerPurpose, string>> = {
  retry: 'next try',
  limit: 'goes on after the reset of the usage limit',
  cooldown: 'next turn',
  runtime: 'end of the running time',
};

/** A line that ticks; nothing where nobody watches: there a notice has said it once. */
export function createCountdown(writer: LineWriter, now: () => number): Countdown {
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    start: (purpose, dueAt) => {
      stop();
      const tick = (): void => writer.passing(`  … ${WORDS[purpose]} in ${toLeftText(dueAt - now())}`);
      tick();
      timer = setInterval(tick, TICK_MS);
      timer.unref();
    },
    stop,
  };
}

/** Whole seconds, so that the number does not jitter. */
function toLeftText(leftMs: number): string {
  return leftMs <= 0 ? 'a moment' : toDurationText(Math.ceil(leftMs / TICK_MS) * TICK_MS);
}
