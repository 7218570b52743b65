import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { assignTracks, type Crossing } from './assign-tracks.ts';

/** The cells of each line between two ranks, split by direction: `x,y` for where it goes down, `x,y` for where it goes sideways. */
function listCells(crossings: readonly Crossing[]): { readonly down: readonly string[]; readonly sideways: readonly string[] } {
  const { bends, count } = assignTracks(crossings);
  const down: string[] = [];
  const sideways: string[] = [];
  for (const [index, crossing] of crossings.entries()) {
    let [x, y] = [crossing.top, 0];
    for (const bend of [...(bends[index] ?? []), { track: count, to: crossing.bottom }]) {
      for (; y < bend.track; y += 1) down.push(`${x},${y + 0.5}`);
      for (let at = Math.min(x, bend.to); at < Math.max(x, bend.to); at += 1) sideways.push(`${at + 0.5},${bend.track}`);
      x = bend.to;
    }
  }
  return { down, sideways };
}

const columns = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 12 });
const crossings = fc.tuple(columns, columns).map(([tops, bottoms]) => {
  const count = Math.min(tops.length, bottoms.length);
  return Array.from({ length: count }, (_, index): Crossing => ({ top: tops[index] as number, bottom: bottoms[index] as number }));
});

describe('tracks for lines between two ranks', () => {
  it('never let two lines run over each other, and bring each to its column', () => {
    fc.assert(
      fc.property(crossings, (list) => {
        const { down, sideways } = listCells(list);
        expect(new Set(down).size).toBe(down.length);
        expect(new Set(sideways).size).toBe(sideways.length);
        const { bends } = assignTracks(list);
        for (const [index, { top, bottom }] of list.entries()) expect(bends[index]?.at(-1)?.to ?? top).toBe(bottom);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('are not needed by lines that go straight down', () => {
    expect(
      assignTracks([
        { top: 3, bottom: 3 },
        { top: 7, bottom: 7 },
      ]),
    ).toEqual({ bends: [[], []], count: 0 });
  });

  it('let two lines change places with one bend more', () => {
    const { bends } = assignTracks([
      { top: 2, bottom: 8 },
      { top: 8, bottom: 2 },
    ]);
    expect(bends.map((list) => list.length).sort()).toEqual([1, 2]);
  });
});
