/** Numbers by chance that are the same for the same seed. */
export interface SeededRandom {
  /** In [0, 1). */
  readonly next: () => number;
  /** One of a list that is not empty. */
  readonly pick: <Item>(list: readonly Item[]) => Item;
}

/** A 32-bit generator: a Weyl sequence whose values are mixed. Not for secrets. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number] };
}
