/** Those who wait until something is there. */
export function createWaiters() {
  const waiting = new Set<() => void>();
  return {
    /** Something may be there now. */
    lookAll: (): void => {
      for (const look of [...waiting]) look();
    },
    /** What is found, as soon as it is; `null` when aborted. */
    wait: <Found>(find: () => Found | undefined, signal: AbortSignal): Promise<Found | null> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = signal.aborted ? null : find();
          if (found === undefined) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve(found);
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
  };
}
