/** Calls at once, and then at most once in each period, the last time after the last wish. */
export interface Throttle {
  readonly want: () => void;
  /** Nothing is called any more. */
  readonly end: () => void;
}

export function createThrottle(periodMs: number, call: () => void): Throttle {
  let timer: NodeJS.Timeout | null = null;
  let isWanted = false;
  let isOver = false;
  const run = (): void => {
    isWanted = false;
    timer = setTimeout(() => {
      timer = null;
      if (isWanted) run();
    }, periodMs);
    call();
  };
  return {
    want: () => {
      if (isOver) return;
      isWanted = true;
      if (timer === null) run();
    },
    end: () => {
      isOver = true;
      isWanted = false;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
