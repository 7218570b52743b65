export interface Mismatch {
  /** The key of the expectation, `turns[2].argv`. */
  readonly what: string;
  /** `null` for what must never be. */
  readonly expected: string | null;
  readonly seen: string;
}

/** Compares two simple values; nothing expected is nothing to compare. */
export function compare<Value extends string | number | null>(what: string, expected: Value | undefined, seen: Value): readonly Mismatch[] {
  return expected === undefined || expected === seen ? [] : [{ what, expected: String(expected), seen: String(seen) }];
}

/** Compares two lists of words, in order. */
export function compareLists(what: string, expected: readonly string[] | undefined, seen: readonly string[]): readonly Mismatch[] {
  if (expected === undefined) return [];
  const isSame = expected.length === seen.length && expected.every((entry, index) => entry === seen[index]);
  return isSame ? [] : [{ what, expected: toListText(expected), seen: toListText(seen) }];
}

/** A list on one line, or below each other where that is too long. */
export function toListText(entries: readonly string[]): string {
  if (entries.length === 0) return 'none';
  const line = entries.join(', ');
  return line.length <= 100 && !line.includes('\n') ? line : entries.join('\n');
}
