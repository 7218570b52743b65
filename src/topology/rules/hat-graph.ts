import {
  hasWildcard,
  type PublishSpec,
  RALPH,
  SYSTEM_TOPICS,
  TOPIC_COMPLETE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  toBlockedTopic,
} from '../../core/index.ts';
import { addPattern, createPatternTrie, visitMeeting } from '../pattern-trie.ts';
import { takersOf } from '../queries.ts';
import type { Route } from '../route-table.ts';
import { createTakerIndex } from '../taker-index.ts';
import type { Topology } from '../topology.ts';

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
  readonly topology: Topology;
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

/** More ways than this are not looked at: some thousand patterns that all meet each other. */
const MAX_WAYS = 2_000_000;

/** The graph of a team; `null` where it has too many ways to be looked at. Time in proportion to the ways. */
export function createHatGraph(topology: Topology): HatGraph | null {
  const places = topology.routes.positions;
  const alone = topology.hats.map((_, place): readonly number[] => [place]);
  const toPlaces = (ids: readonly string[]): readonly number[] => {
    if (ids.length > 1) return sortPlaces(ids.flatMap((id) => places.get(id) ?? []));
    return alone[places.get(ids[0] ?? '') ?? -1] ?? NOBODY;
  };
  const search = createTakerSearch(topology, toPlaces);
  const { passages, publishes } = listPassages(topology, search);
  if (!search.isWhole()) return null;
  const started = [...SYSTEM_TOPICS.filter((topic) => !FAILURES.includes(topic)), topology.startTopic, 'human.*'];
  const failed = [...FAILURES, toBlockedTopic(TOPIC_COMPLETE)];
  const graph: HatGraph = {
    topology,
    passages,
    publishes,
    transitions: topology.hats.map((hat) => toPlaces(hat.transitions)),
    roots: sortPlaces([...toPlaces([topology.entry, topology.fallback]), ...started.flatMap((topic) => search.takersOf({ topic }))]),
    failureRoots: sortPlaces(failed.flatMap((topic) => search.takersOf({ topic }))),
  };
  return search.isWhole() ? graph : null;
}

/** Each thing that hats may publish once, and for each hat which of them it may. Broken off where the ways are too many. */
function listPassages(topology: Topology, search: TakerSearch): Pick<HatGraph, 'passages' | 'publishes'> {
  const isGuarded = createGuardTest(topology);
  const exact = createTakerIndex(topology).listExact();
  const passages: Passage[] = [];
  const known = new Map<string, number>();
  const knownRoutes = new Int32Array(topology.routes.exact.size + topology.routes.patterns.length).fill(-1);
  const toPlace = (entry: PublishSpec, route: Route | undefined): number => {
    const key = entry.target === undefined ? entry.topic : `${entry.topic} ${entry.target}`;
    const place = route === undefined ? (known.get(key) ?? -1) : (knownRoutes[route.place] ?? -1);
    if (place !== -1 || !search.isWhole()) return place;
    if (route === undefined) known.set(key, passages.length);
    else knownRoutes[route.place] = passages.length;
    return passages.push(createPassage(entry, isGuarded, search, route)) - 1;
  };
  const publishes = topology.hats.map((hat, index) => {
    const own = exact[index];
    return hat.publishes.map((entry, at) => toPlace(entry, own?.[at]));
  });
  return { passages, publishes };
}

interface TakerSearch {
  /** Who takes what is published, as places. */
  readonly takersOf: (publish: PublishSpec, route?: Route) => readonly number[];
  /** False once not all could be looked at. */
  readonly isWhole: () => boolean;
}

function createTakerSearch(topology: Topology, toPlaces: (ids: readonly string[]) => readonly number[]): TakerSearch {
  const index = createTakerIndex(topology);
  let ways = 0;
  let isWhole = true;
  const listMeeting = (pattern: string): readonly number[] => {
    const takers = new Set<string>();
    isWhole &&= index.visitRoutes(pattern, (route) => {
      for (const hat of route.hats) takers.add(hat);
      return takers.size + ways <= MAX_WAYS;
    });
    return toPlaces([...takers]);
  };
  const findOnly = (topic: string): Route | undefined => {
    const found: Route[] = [];
    index.visitRoutes(topic, (route) => found.push(route) < 2);
    return found.length === 1 ? found[0] : undefined;
  };
  const list = ({ topic, target }: PublishSpec, exact?: Route): readonly number[] => {
    if (target !== undefined) return toPlaces([target]);
    if (exact === undefined && hasWildcard(topic)) return listMeeting(topic);
    const route = exact ?? findOnly(topic);
    return route?.takers.length === 1 ? route.takers : toPlaces(takersOf(topology, topic));
  };
  const listTakers = (publish: PublishSpec, exact?: Route): readonly number[] => {
    const found = list(publish, exact);
    ways += found.length;
    return found;
  };
  return { takersOf: listTakers, isWhole: () => isWhole && ways <= MAX_WAYS };
}

const NOBODY: readonly number[] = [];
const FAILURES: readonly string[] = [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT];

function createPassage(
  entry: PublishSpec,
  isGuarded: ((topic: string) => boolean) | null,
  { takersOf }: TakerSearch,
  route: Route | undefined,
): Passage {
  const { topic } = entry;
  const blocked = isGuarded?.(topic) === true ? toBlockedTopic(topic) : topic;
  return {
    topic,
    takers: takersOf(entry, route),
    blockedTakers: blocked === topic ? NOBODY : takersOf({ topic: blocked }),
    isToRalph: entry.target === RALPH,
  };
}

/** Says whether a gate may refuse what is published; `null` where there are no gates. */
function createGuardTest({ spec }: Topology): ((topic: string) => boolean) | null {
  if (spec.gates.length === 0) return null;
  const trie = createPatternTrie<true>();
  for (const gate of spec.gates) for (const on of gate.on) addPattern(trie, on, true);
  const effort = { steps: MAX_WAYS };
  return (topic) => {
    let isMet = false;
    const stop = (): boolean => {
      isMet = true;
      return false;
    };
    visitMeeting(trie, topic, stop, effort);
    return isMet;
  };
}

function sortPlaces(places: Iterable<number>): readonly number[] {
  const distinct = [...new Set(places)];
  return distinct.length < 2 ? distinct : distinct.sort((a, b) => a - b);
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
