/** The candidate that was most likely meant, or nothing. */
export function findNearMiss(word: string, candidates: readonly string[]): string | undefined {
  const given = word.toLowerCase();
  const begun = candidates.filter((candidate) => given.length > 1 && candidate.startsWith(given));
  if (begun.length === 1) return begun[0];
  const allowed = given.length < 3 ? 0 : given.length < 5 ? 1 : 2;
  const near = candidates.map((candidate) => ({ candidate, edits: countEdits(given, candidate) })).filter(({ edits }) => edits <= allowed);
  return near.sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function countEdits(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1] ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(left.length, right.length);
}
