/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. Time: the product of the lengths.
 *
 * @param atMost where it takes more edits than this the answer may be infinite; it comes sooner
 */
export function countEdits(left: string, right: string, atMost = Number.POSITIVE_INFINITY): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  let leastAbove = 0;
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(above, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1] ? at(before, j - 2) + 1 : replaced;
      const edits = Math.min(replaced, swapped, at(above, j) + 1, at(row, j - 1) + 1);
      if (edits < least) least = edits;
      row.push(edits);
    }
    // A swap looks two rows back.
    if (least > atMost && leastAbove > atMost) return Number.POSITIVE_INFINITY;
    leastAbove = least;
    before = above;
    above = row;
  }
  return at(above, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
