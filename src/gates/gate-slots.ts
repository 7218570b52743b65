/** Lets a few run at once; one that wants to be alone waits until nothing runs, and holds back whoever comes after it. */
export interface GateSlots {
  readonly run: <T>(isAlone: boolean, task: () => Promise<T>) => Promise<T>;
}

/** @param limit how many at once, at least 1 */
export function createGateSlots(limit: number): GateSlots {
  const waiting: { readonly isAlone: boolean; readonly start: () => void }[] = [];
  let running = 0;
  let isAlone = false;

  function startNext(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (isAlone || running >= limit || (next.isAlone && running > 0)) return;
      waiting.shift();
      running += 1;
      isAlone = next.isAlone;
      next.start();
    }
  }

  return {
    run: async (alone, task) => {
      await new Promise<void>((resolve) => {
        waiting.push({ isAlone: alone, start: resolve });
        startNext();
      });
      try {
        return await task();
      } finally {
        running -= 1;
        if (alone) isAlone = false;
        startNext();
      }
    },
  };
}
