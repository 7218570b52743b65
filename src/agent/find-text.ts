/**
 * Where a text stands in a file, whatever its ends of lines are. Both are given byte by byte (`latin1`), so offsets are those of the bytes and every
 * other byte of the file stays what it is.
 */
export interface FoundText {
  /** Of the first byte. */
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

/** Finds a text, its parts not overlapping. Where it is not found as it is, `\n` and `\r\n` count as the same. */
export function findText(file: string, wanted: string): readonly FoundText[] {
  const exact = findAll(file, wanted);
  if (exact.length > 0 || !file.includes('\r\n')) return exact.map((start) => ({ start, end: start + wanted.length }));
  const offsets = mapWithoutReturns(file);
  const plain = wanted.replaceAll('\r\n', '\n');
  return findAll(file.replaceAll('\r\n', '\n'), plain).map((start) => {
    const first = offsets(start);
    // A match that begins with the end of a line takes all of it.
    return { start: first, end: offsets(start + plain.length) };
  });
}

/** The new text with the ends of lines of what it replaces, or else of most of the file. */
export function matchLineEnds(replacement: string, replaced: string, file: string): string {
  const sample = replaced.includes('\n') ? replaced : file;
  const windows = sample.split('\r\n').length - 1;
  const all = sample.split('\n').length - 1;
  const plain = replacement.replaceAll('\r\n', '\n');
  if (windows === 0) return replacement.includes('\r\n') && all > 0 ? plain : replacement;
  return windows * 2 > all ? plain.replaceAll('\n', '\r\n') : replacement;
}

function findAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** From offsets in a text without the returns of its Windows line ends to those in the text. */
function mapWithoutReturns(text: string): (offset: number) => number {
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) removed.push(at - removed.length);
  return (offset) => offset + countBelow(removed, offset);
}

/** How many of the sorted numbers are less than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
