import type { Diagnostic } from './diagnostic.ts';

const MAX_CODES = 6;

/** `More: ralph explain event-orphan hats-empty`: where to read on; empty text for no findings. */
export function toExplainHint(diagnostics: readonly Pick<Diagnostic, 'code'>[]): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))];
  return codes.length === 0 ? '' : `More: ralph explain ${codes.slice(0, MAX_CODES).join(' ')}`;
}
