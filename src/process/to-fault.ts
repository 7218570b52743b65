import type { ProcessFault } from './process-spec.ts';

/** Whatever was thrown, as a fault. Never throws. */
export function toFault(error: unknown): ProcessFault {
  if (!(error instanceof Error)) return { code: 'unknown', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, message: error.message };
}
