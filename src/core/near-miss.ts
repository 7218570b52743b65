import { countEdits } from './count-edits.ts';

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

/** True if a near miss can only be meant as itself: no other candidate is as near. */
export function isOnlyNearMiss(text: string, near: string, candidates: readonly string[]): boolean {
  const given = toPlainName(text);
  const distance = countEdits(given, toPlainName(near));
  return candidates.every((other) => other === near || countEdits(given, toPlainName(other)) > distance);
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
