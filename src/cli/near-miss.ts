import { findNearMiss as findNearWord } from '../core/index.ts';

/** The command that was most likely meant, or nothing: the only one that begins so, else one that is nearly written so. */
export function findNearMiss(word: string, candidates: readonly string[]): string | undefined {
  const given = word.toLowerCase();
  const begun = candidates.filter((candidate) => given.length > 1 && candidate.startsWith(given));
  return begun.length === 1 ? begun[0] : findNearWord(word, candidates);
}
