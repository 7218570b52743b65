/** Looks for what was meant among the same candidates again and again. */
export interface NearMissFinder {
  /** The candidate that was most likely meant, or `undefined`. Case, `-` and `_`, and a missing ending count for nothing. */
  readonly find: (text: string) => string | undefined;
  /** The same without counting edits, in a time that does not depend on the candidates: for the many. */
  readonly findSame: (text: string) => string | undefined;
  /** True if a near miss can only be meant as itself: no other candidate is as near. */
  readonly isOnly: (text: string, near: string) => boolean;
}

interface NameCandidate {
  readonly name: string;
  readonly plain: string;
  readonly words: string;
}

/**
 * A finder for some candidates.
 *
 * @param maxSearches after so many searches nothing is found any more: each takes time proportional to the candidates
 */
export function createNearMissFinder(names: readonly string[], maxSearches = Number.POSITIVE_INFINITY): NearMissFinder {
  const candidates = names.map((name) => ({ name, plain: toPlainName(name), words: toWords(name) }));
  const byPlain = new Map(candidates.toReversed().map(({ name, plain }) => [plain, name]));
  const byStart = indexStarts(candidates);
  const findSame = (text: string): string | undefined => byPlain.get(toPlainName(text)) ?? byStart.get(toWords(text)) ?? undefined;
  let searches = 0;
  return {
    find: (text) => {
      const given = toPlainName(text);
      if (given === '' || searches >= maxSearches) return undefined;
      searches += 1;
      return findSame(text) ?? findNearest(given, candidates);
    },
    findSame,
    isOnly: (text, near) => {
      const given = toPlainName(text);
      const distance = countEdits(given, toPlainName(near));
      return candidates.every(({ name, plain }) => name === near || countEdits(given, plain) > distance);
    },
  };
}

/** The words with which a single candidate begins; `null` for those of several. */
function indexStarts(candidates: readonly NameCandidate[]): ReadonlyMap<string, string | null> {
  const starts = new Map<string, string | null>();
  for (const { name, words } of candidates) {
    for (let end = words.indexOf('_'); end >= 0; end = words.indexOf('_', end + 1)) {
      const start = words.slice(0, end);
      starts.set(start, starts.has(start) ? null : name);
    }
  }
  return starts;
}

/** The candidate that was most likely meant, or `undefined`: {@link NearMissFinder}. */
export function findNearMiss(text: string, candidates: readonly string[]): string | undefined {
  return createNearMissFinder(candidates).find(text);
}

/** True if a near miss can only be meant as itself: no other candidate is as near. */
export function isOnlyNearMiss(text: string, near: string, candidates: readonly string[]): boolean {
  return createNearMissFinder(candidates).isOnly(text, near);
}

function findNearest(given: string, candidates: readonly NameCandidate[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const { name, plain } of candidates) {
    const allowed = allowedDistance(Math.min(given.length, plain.length));
    if (Math.abs(plain.length - given.length) > allowed) continue;
    const distance = countEdits(given, plain, allowed);
    if (distance <= allowed && distance < bestDistance) {
      best = name;
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
    .slice(0, 200)
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
