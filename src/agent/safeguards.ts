import type { BackendEvent } from '../core/index.ts';

/** The timeouts of a turn. */
export interface Safeguards {
  /** Something came; while tools run nobody waits for words. */
  readonly heard: (event: BackendEvent) => void;
  readonly close: () => void;
}

/** Watches how long a turn takes and how long it is silent. A bound of 0 is none. */
export function createSafeguards(
  { timeoutMs, idleTimeoutMs }: { readonly timeoutMs: number; readonly idleTimeoutMs: number },
  fire: (kind: 'timeout' | 'idle-timeout') => void,
): Safeguards {
  const whole = timeoutMs > 0 ? setTimeout(() => fire('timeout'), timeoutMs) : undefined;
  let idle: NodeJS.Timeout | undefined;
  let running = 0;
  const restart = (): void => {
    clearTimeout(idle);
    if (idleTimeoutMs > 0 && running === 0) idle = setTimeout(() => fire('idle-timeout'), idleTimeoutMs);
  };
  restart();
  return {
    heard: (event) => {
      if (event.type === 'tool-start') running += 1;
      if (event.type === 'tool-end') running = Math.max(0, running - 1);
      restart();
    },
    close: () => {
      clearTimeout(whole);
      clearTimeout(idle);
    },
  };
}
