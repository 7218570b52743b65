import { RALPH, SYSTEM_TOPICS, TOPIC_COMPLETE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT, toBlockedTopic } from '../../core/events/reserved.ts';
import { hasWildcard } from '../../core/events/topics.ts';
import type { PublishSpec } from '../../core/run/run-spec.ts';
import { addPattern, createPatternTrie, type Route, type Topology, visitMeeting } from '../routing/compile-topology.ts';
import { takersOf } from '../routing/queries.ts';
import { createTakerIndex } from '../routing/taker-index.ts';
import type { HatGraph, Passage } from './hat-graph.ts';

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
  const budget = { steps: MAX_WAYS };
  return (topic) => {
    let isMet = false;
    const stop = (): boolean => {
      isMet = true;
      return false;
    };
    visitMeeting(trie, topic, stop, budget);
    return isMet;
  };
}

function sortPlaces(places: Iterable<number>): readonly number[] {
  const distinct = [...new Set(places)];
  return distinct.length < 2 ? distinct : distinct.sort((a, b) => a - b);
}
