/** What a hat may publish, and who may take it. Hats that publish the same share one. */
export interface Passage {
  readonly topic: string;
  /** Places of hats in `topology.hats`, ascending. */
  readonly takers: readonly number[];
  /** Who takes what a failing gate makes of it. */
  readonly blockedTakers: readonly number[];
  /** True where it goes to Ralph by its target. */
  readonly isToRalph: boolean;
}

/** Who may hand on to whom, hats by their place in `topology.hats`. */
export interface HatGraph {
  readonly passages: readonly Passage[];
  /** For each hat what it may publish, as places in `passages`. */
  readonly publishes: readonly (readonly number[])[];
  /** For each hat the hats that it may call by a `HAT_TRANSITION` line. */
  readonly transitions: readonly (readonly number[])[];
  /** Hats that the loop itself calls while all goes well. */
  readonly roots: readonly number[];
  /** Hats that the loop itself calls when something failed. */
  readonly failureRoots: readonly number[];
}

/** Hats that were reached, in the order in which they were, and for each place the turns before it; -1: not reached. */
export interface ReachedHats {
  readonly places: readonly number[];
  readonly turns: Int32Array;
}

/** The hats that can be reached from some hats, those included. `blocked`: through failing gates too. */
export function findReached(graph: HatGraph, from: readonly number[], ways: { readonly blocked: boolean }): ReachedHats {
  const turns = new Int32Array(graph.publishes.length).fill(-1);
  const isPassed = new Uint8Array(graph.passages.length);
  const queue: number[] = [];
  const visitAll = (places: readonly number[], count: number): void => {
    places.forEach((place) => {
      if (turns[place] !== -1) return;
      turns[place] = count;
      queue.push(place);
    });
  };
  visitAll(from, 0);
  for (let at = 0; at < queue.length; at += 1) {
    const hat = queue[at] as number;
    const next = (turns[hat] as number) + 1;
    graph.publishes[hat]?.forEach((place) => {
      if (isPassed[place] === 1) return;
      isPassed[place] = 1;
      const passage = graph.passages[place];
      if (passage === undefined) return;
      visitAll(passage.takers, next);
      if (ways.blocked) visitAll(passage.blockedTakers, next);
    });
    visitAll(graph.transitions[hat] ?? [], next);
  }
  return { places: queue, turns };
}

/** A frame of the walk: a node and how many of its ways were taken. */
interface WalkFrame {
  readonly node: number;
  next: number;
}

/**
 * The strongly connected components of a graph (Tarjan), each a list of nodes; a component comes after those that it leads to.
 * Nodes are 0 to `count - 1`. Without recursion: a chain may be as long as memory allows. Time in proportion to nodes and ways.
 */
export function findComponents(count: number, nextOf: (node: number) => readonly number[]): readonly (readonly number[])[] {
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const open: number[] = [];
  const components: number[][] = [];
  let counter = 0;
  const frames: WalkFrame[] = [];
  const enter = (node: number): void => {
    order[node] = counter;
    low[node] = counter;
    counter += 1;
    isOpen[node] = 1;
    open.push(node);
    frames.push({ node, next: 0 });
  };
  const lower = (node: number, to: number): void => {
    if (to < (low[node] ?? 0)) low[node] = to;
  };
  const leave = (node: number): void => {
    frames.pop();
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.node, low[node] ?? 0);
    if (low[node] !== order[node]) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen[member] = 0;
    components.push(members);
  };
  for (let start = 0; start < count; start += 1) {
    if (order[start] !== -1) continue;
    enter(start);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const next = nextOf(frame.node)[frame.next];
      frame.next += 1;
      if (next === undefined) leave(frame.node);
      else if (order[next] === -1) enter(next);
      else if (isOpen[next] === 1) lower(frame.node, order[next] ?? 0);
    }
  }
  return components;
}
