/** The candidate that was most likely meant, or `undefined`. Case, `-` and `_`, and a missing ending count for nothing. */
export function findNearMiss(text: string, candidates: readonly string[]): string | undefined {
  const given = toPlainName(text);
  if (given === '') return undefined;
  const same = candidates.find((candidate) => toPlainName(candidate) === given);
  if (same !== undefined) return same;
  const started = candidates.filter((candidate) => toWords(candidate).startsWith(`${toWords(text)}_`));
  if (started.length === 1) return started[0];
  return findNearest(given, candidates);
}

function findNearest(given: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const plain = toPlainName(candidate);
    const allowed = allowedDistance(Math.min(given.length, plain.length));
    if (Math.abs(plain.length - given.length) > allowed) continue;
    const distance = countEdits(given, plain);
    if (distance <= allowed && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function allowedDistance(length: number): number {
  return length < 3 ? 0 : length < 6 ? 1 : length < 10 ? 2 : 3;
}

/** `maxIterations`, `max-iterations` -> `max_iterations`. */
function toWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s]/g, '_')
    .toLowerCase();
}

function toPlainName(text: string): string {
  return text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function countEdits(left: string, right: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(above, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1] ? at(before, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(above, j) + 1, at(row, j - 1) + 1));
    }
    before = above;
    above = row;
  }
  return at(above, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
