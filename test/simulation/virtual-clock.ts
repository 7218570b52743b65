import type { Clock } from '../../src/ports/clock.ts';

interface Alarm {
  readonly dueAt: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that stands until it is told to go on to its next alarm. */
export interface VirtualClock extends Clock {
  /** Goes to the next alarm and fires it; false if there is none. */
  readonly advance: () => boolean;
  /** Forgets every alarm, as the death of the process does. */
  readonly forget: () => void;
}

/** Creates a virtual clock that shows `startAt`. */
export function createVirtualClock(startAt: number): VirtualClock {
  let now = startAt;
  let alarms: Alarm[] = [];
  let order = 0;
  return {
    now: () => now,
    setTimer: (dueAt, fire) => {
      order += 1;
      const alarm = { dueAt: Math.max(dueAt, now), order, fire };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((entry) => entry !== alarm);
      };
    },
    advance: () => {
      alarms.sort((a, b) => a.dueAt - b.dueAt || a.order - b.order);
      const next = alarms.shift();
      if (next === undefined) return false;
      now = next.dueAt;
      next.fire();
      return true;
    },
    forget: () => {
      alarms = [];
    },
  };
}
