import { createContext, Script } from 'node:vm';

const script = new Script('compute()');

/**
 * Runs what only computes, and gives it up after a time, wherever it is: also within the search of a regular expression.
 *
 * @returns what came of it; `null` where the time was not enough
 * @throws what it throws
 */
export function computeWithin<T>(limitMs: number, compute: () => T): { readonly value: T } | null {
  const context = createContext({ compute });
  try {
    return { value: script.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) }) as T };
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** It comes out of the other context, so that it is no `Error` of ours. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
