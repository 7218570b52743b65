import type { Json } from '../values/json.ts';

/** Begins the line by which whoever completes the work says that the task itself asks for other tests, and why. */
export const CHANGED_TESTS_MARK = 'CHANGED_TESTS:';

/** A line may be quoted, listed or set in bold. */
const LINE = /^[\s>*_-]{0,8}CHANGED_TESTS:[ \t*_]*(\S.*)$/gm;
const MIN_REASON = 8;
const MAX_REASON = 300;

/** The reason for which the tests were changed, as a claim of completion states it: in one of its texts, on a line of its own. `null` where it states none. */
export function findChangedTestsReason(...claims: readonly Json[]): string | null {
  for (const match of claims.flatMap(toTexts).flatMap((text) => [...text.matchAll(LINE)])) {
    const reason = match[1]?.trim() ?? '';
    // `<why>` is what stands in the place of a reason.
    if (reason.length >= MIN_REASON && !reason.startsWith('<')) return reason.slice(0, MAX_REASON);
  }
  return null;
}

function toTexts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap((part) => (typeof part === 'string' ? [part] : []));
}
