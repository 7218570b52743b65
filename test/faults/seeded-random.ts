/** A random number from 0 to below 1. */
export type Random = () => number;

/** The same numbers for the same seed, on every machine (mulberry32). */
export function createSeededRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A whole number from 0 to below `limit`. */
export function drawInteger(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

/** One of the choices; there is at least one. */
export function drawOne<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[drawInteger(random, choices.length)] ?? choices[0];
}

/** The same items in another order. */
export function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
