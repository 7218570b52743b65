import type { ClockHold } from '../ports/program.ts';

/** The longest delay of a timer; a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds of a clock that only goes forward, whatever is set. Like `performance.now()`, whose first use costs two milliseconds of loading. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Which limit ran out. */
export type Expiry = 'timeout' | 'idle-timeout';

interface StopClockSettings {
  /** 0, absent or not finite: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  /** True while silence is our own doing. */
  readonly isHeld: () => boolean;
  /** Says for how long, in milliseconds, both clocks stood so far, and whether they stand now. Absent: they never do. */
  readonly hold?: ClockHold | undefined;
  readonly onExpiry: (expiry: Expiry) => void;
}

/** How often a clock that stands is looked at again. */
const HELD_LOOK_MS = 100;

export interface StopClock {
  /** The child said something. Cheap: called for every chunk. */
  touch(): void;
  stop(): void;
}

/** Starts measuring now. `onExpiry` is called at most once. */
export function startStopClock(settings: StopClockSettings): StopClock {
  const startedAt = steadyMs();
  let lastSignAt = startedAt;
  let heldAtSign = 0;
  const heldMs = (): number => settings.hold?.heldMs() ?? 0;
  let isStopped = false;
  const timers = new Map<Expiry, NodeJS.Timeout>();

  function stop(): void {
    isStopped = true;
    for (const timer of timers.values()) clearTimeout(timer);
  }

  function watch(expiry: Expiry, limitMs: number | undefined, since: () => number): void {
    if (limitMs === undefined || !Number.isFinite(limitMs) || limitMs <= 0 || isStopped) return;
    const check = (): void => {
      if (isStopped) return;
      if (since() + limitMs > steadyMs()) {
        watch(expiry, limitMs, since);
      } else {
        stop();
        settings.onExpiry(expiry);
      }
    };
    const leftMs = Math.max(settings.hold?.isHeld() === true ? HELD_LOOK_MS : 1, Math.ceil(since() + limitMs - steadyMs()));
    // When this program itself was busy, the child's words wait unread: they are read first, then time is judged.
    const timer = setTimeout(() => setImmediate(check), Math.min(leftMs, LONGEST_TIMER_MS));
    timers.set(expiry, timer);
  }

  watch('timeout', settings.timeoutMs, () => startedAt + heldMs());
  watch('idle-timeout', settings.idleTimeoutMs, () => (settings.isHeld() ? steadyMs() : lastSignAt + heldMs() - heldAtSign));
  return {
    touch() {
      lastSignAt = steadyMs();
      heldAtSign = heldMs();
    },
    stop,
  };
}
