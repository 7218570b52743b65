import { countEdits } from './count-edits.ts';

/** Looks for what was meant among the same candidates again and again. */
export interface NearMissFinder {
  /** The candidate that was most likely meant, or `undefined`. Case, `-` and `_`, and a missing ending count for nothing. */
  readonly find: (text: string) => string | undefined;
  /** True if a near miss can only be meant as itself: no other candidate is as near. */
  readonly isOnly: (text: string, near: string) => boolean;
}

interface Candidate {
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
  let searches = 0;
  return {
    find: (text) => {
      const given = toPlainName(text);
      if (given === '' || searches >= maxSearches) return undefined;
      searches += 1;
      const same = byPlain.get(given);
      if (same !== undefined) return same;
      const start = `${toWords(text)}_`;
      const started = candidates.filter(({ words }) => words.startsWith(start));
      return started.length === 1 ? started[0]?.name : findNearest(given, candidates);
    },
    isOnly: (text, near) => {
      const given = toPlainName(text);
      const distance = countEdits(given, toPlainName(near));
      return candidates.every(({ name, plain }) => name === near || countEdits(given, plain) > distance);
    },
  };
}

/** The candidate that was most likely meant, or `undefined`: {@link NearMissFinder}. */
export function findNearMiss(text: string, candidates: readonly string[]): string | undefined {
  return createNearMissFinder(candidates).find(text);
}

/** True if a near miss can only be meant as itself: no other candidate is as near. */
export function isOnlyNearMiss(text: string, near: string, candidates: readonly string[]): boolean {
  return createNearMissFinder(candidates).isOnly(text, near);
}

function findNearest(given: string, candidates: readonly Candidate[]): string | undefined {
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
