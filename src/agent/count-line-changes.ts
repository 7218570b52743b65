/** How many lines a change adds and takes away. */
export interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

/** Beyond this product of lengths the middle counts as replaced. */
const maxCells = 4_000_000;

/** Counts the lines that differ between two texts, by their longest common sequence of lines. */
export function countLineChanges(before: string, after: string): LineChanges {
  const left = toLines(before);
  const right = toLines(after);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const removed = left.slice(start, left.length - end);
  const added = right.slice(start, right.length - end);
  const common = removed.length * added.length > maxCells ? 0 : countCommon(removed, added);
  return { added: added.length - common, removed: removed.length - common };
}

/** As a diff says it: `+3 -1`. */
export function describeChanges({ added, removed }: LineChanges): string {
  return `+${added} -${removed}`;
}

function toLines(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Length of the longest common subsequence. */
function countCommon(left: readonly string[], right: readonly string[]): number {
  let above = new Uint32Array(right.length + 1);
  for (const line of left) {
    const row = new Uint32Array(right.length + 1);
    for (let index = 1; index <= right.length; index += 1) {
      const kept = Math.max(above[index] ?? 0, row[index - 1] ?? 0);
      row[index] = line === right[index - 1] ? (above[index - 1] ?? 0) + 1 : kept;
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}
