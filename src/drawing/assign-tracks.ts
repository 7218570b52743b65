/** The way of a line through the space between two ranks: it comes from above at one column and leaves below at another. */
export interface Crossing {
  readonly top: number;
  readonly bottom: number;
}

/** One bend: sideways along a track (0 is the uppermost) to a column. */
export interface Bend {
  readonly track: number;
  readonly to: number;
}

export interface Tracks {
  /** In the order of the crossings: none for a straight line, two where one would run over another line. */
  readonly bends: readonly (readonly Bend[])[];
  readonly count: number;
}

/** A way sideways that needs a track. */
interface Stretch {
  readonly crossing: number;
  readonly from: number;
  readonly to: number;
  /** The stretch that must lie above this one. */
  above: Stretch | null;
  track: number;
}

/**
 * Finds a track for each line that must go sideways, so that no two lines ever run over each other: they only cross. Columns above are
 * distinct, and so are those below.
 */
export function assignTracks(crossings: readonly Crossing[]): Tracks {
  const stretches = toStretches(crossings);
  const right = stretches.filter((one) => one.to > one.from).sort((a, b) => b.from - a.from);
  const left = stretches.filter((one) => one.to < one.from).sort((a, b) => a.from - b.from);
  const tracks: Stretch[][] = [];
  for (const stretch of [...right, ...left]) placeWithAbove(stretch, tracks);
  const bends: Bend[][] = crossings.map(() => []);
  for (const { crossing, track, to } of stretches) bends[crossing]?.push({ track, to });
  for (const list of bends) list.sort((a, b) => a.track - b.track);
  return { bends, count: tracks.length };
}

/**
 * The stretches, each with the one that must lie above it: where a line arrives below at the column at which another comes from above, the other must
 * have left that column before. Where this goes in a circle one line takes two bends.
 */
function toStretches(crossings: readonly Crossing[]): readonly Stretch[] {
  const taken = new Set(crossings.flatMap(({ top, bottom }) => [top, bottom]));
  const byTop = new Map<number, Stretch>();
  const list: Stretch[] = [];
  const add = (crossing: number, from: number, to: number): Stretch => {
    const stretch: Stretch = { crossing, from, to, above: null, track: -1 };
    list.push(stretch);
    return stretch;
  };
  for (const [index, { top, bottom }] of crossings.entries()) if (top !== bottom) byTop.set(top, add(index, top, bottom));
  for (const stretch of [...list]) stretch.above = byTop.get(stretch.to) ?? null;
  for (const stretch of [...list]) {
    if (!isInCircle(stretch)) continue;
    const middle = findFreeColumn(Math.round((stretch.from + stretch.to) / 2), taken);
    taken.add(middle);
    // The circle itself sees to it that the second lies below the first.
    const second = add(stretch.crossing, middle, stretch.to);
    second.above = stretch.above;
    const index = list.indexOf(stretch);
    const first: Stretch = { crossing: stretch.crossing, from: stretch.from, to: middle, above: null, track: -1 };
    list[index] = first;
    for (const other of list) if (other.above === stretch) other.above = first;
  }
  return list;
}

function isInCircle(stretch: Stretch): boolean {
  let at = stretch.above;
  for (let steps = 0; at !== null && steps < 10_000; steps += 1) {
    if (at === stretch) return true;
    at = at.above;
  }
  return false;
}

function findFreeColumn(wanted: number, taken: ReadonlySet<number>): number {
  for (let distance = 0; ; distance += 1) {
    if (wanted - distance >= 0 && !taken.has(wanted - distance)) return wanted - distance;
    if (!taken.has(wanted + distance)) return wanted + distance;
  }
}

/** Places a stretch, after all that must lie above it, into the uppermost track that has room for it. */
function placeWithAbove(stretch: Stretch, tracks: Stretch[][]): void {
  const chain: Stretch[] = [];
  for (let at: Stretch | null = stretch; at !== null && at.track < 0; at = at.above) chain.push(at);
  for (const one of chain.reverse()) {
    let track = (one.above?.track ?? -1) + 1;
    while (tracks[track]?.some((other) => overlaps(one, other)) === true) track += 1;
    while (tracks.length <= track) tracks.push([]);
    tracks[track]?.push(one);
    one.track = track;
  }
}

function overlaps(a: Stretch, b: Stretch): boolean {
  return Math.min(a.from, a.to) <= Math.max(b.from, b.to) + 1 && Math.min(b.from, b.to) <= Math.max(a.from, a.to) + 1;
}
