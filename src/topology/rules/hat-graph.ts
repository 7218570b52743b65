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
  const places = new Map(topology.hats.map((hat, index) => [hat.id, index]));
  const alone = topology.hats.map((_, place): readonly number[] => [place]);
  const toPlaces = (ids: readonly string[]): readonly number[] => {
    if (ids.length > 1) return sortPlaces(ids.flatMap((id) => places.get(id) ?? []));
    return alone[places.get(ids[0] ?? '') ?? -1] ?? NOBODY;
  };
  const search = createTakerSearch(topology, toPlaces);
  const isGuarded = createGuardTest(topology);
  const passages: Passage[] = [];
  const known = new Map<string, number>();
  const publishes: (readonly number[])[] = [];
  for (const hat of topology.hats) {
    const own: number[] = [];
    for (const entry of hat.publishes) {
      const key = entry.target === undefined ? entry.topic : `${entry.topic} ${entry.target}`;
      let place = known.get(key);
      if (place === undefined) {
        place = passages.length;
        known.set(key, place);
        passages.push(createPassage(entry, isGuarded, search.takersOf));
        if (!search.isWhole()) return null;
      }
      own.push(place);
    }
    publishes.push(own);
  }
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

interface TakerSearch {
  /** Who takes what is published, as places. */
  readonly takersOf: (publish: PublishSpec) => readonly number[];
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
  const takersOf = ({ topic, target }: PublishSpec): readonly number[] => {
    const isPattern = target === undefined && hasWildcard(topic);
    const found = isPattern ? listMeeting(topic) : toPlaces(target === undefined ? listTakers(topology, topic) : [target]);
    ways += found.length;
    return found;
  };
  return { takersOf, isWhole: () => isWhole && ways <= MAX_WAYS };
}

/** As `takersOf`; most topics are a trigger of one hat. */
function listTakers(topology: Topology, topic: string): readonly string[] {
  const hats = topology.routes.exact.get(topic)?.hats;
  return hats?.length === 1 ? hats : takersOf(topology, topic);
}

const NOBODY: readonly number[] = [];
const FAILURES: readonly string[] = [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT];

function createPassage(entry: PublishSpec, isGuarded: (topic: string) => boolean, takersOf: TakerSearch['takersOf']): Passage {
  const { topic } = entry;
  const blocked = toBlockedTopic(topic);
  return {
    topic,
    takers: takersOf(entry),
    blockedTakers: blocked !== topic && isGuarded(topic) ? takersOf({ topic: blocked }) : NOBODY,
    isToRalph: entry.target === RALPH,
  };
}

/** Says whether a gate may refuse what is published. */
function createGuardTest({ spec }: Topology): (topic: string) => boolean {
  if (spec.gates.length === 0) return () => false;
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

/** The hats that can be reached from some hats, those included; each with the number of turns before it. `blocked`: through failing gates too. */
export function findReached(graph: HatGraph, from: readonly number[], ways: { readonly blocked: boolean }): ReadonlyMap<number, number> {
  const reached = new Map(from.map((hat) => [hat, 0]));
  const passed = new Set<number>();
  const queue = [...from];
  for (let at = 0; at < queue.length; at += 1) {
    const hat = queue[at] as number;
    const turns = (reached.get(hat) ?? 0) + 1;
    const visit = (next: number): void => {
      if (reached.has(next)) return;
      reached.set(next, turns);
      queue.push(next);
    };
    for (const place of graph.publishes[hat] ?? []) {
      if (passed.has(place)) continue;
      passed.add(place);
      graph.passages[place]?.takers.forEach(visit);
      if (ways.blocked) graph.passages[place]?.blockedTakers.forEach(visit);
    }
    graph.transitions[hat]?.forEach(visit);
  }
  return reached;
}
