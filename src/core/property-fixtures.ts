/** The share of their samples that property tests take, from the environment (vitest.config.ts): `npm test` takes all, `npm run check` a tenth. */
declare const RALPH_PROPERTY_SHARE: number;

/** How many samples a property test takes that is thorough with so many; at least ten, or all of fewer. */
export function propertyRuns(thorough: number): number {
  return Math.max(Math.ceil(thorough * RALPH_PROPERTY_SHARE), Math.min(thorough, 10));
}

/** How large an input is taken: never more than the thorough size, however many samples are asked for. */
export function propertySize(thorough: number): number {
  return Math.min(thorough, propertyRuns(thorough));
}

/** The samples, or a share of them spread over all: for tests that go through a list. */
export function takeShare<T>(samples: readonly T[]): readonly T[] {
  const count = propertyRuns(samples.length);
  return samples.filter(
    (_sample, index) => Math.floor((index * count) / samples.length) !== Math.floor(((index - 1) * count) / samples.length),
  );
}
