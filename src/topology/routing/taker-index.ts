import { hasWildcard } from '../../core/events/topics.ts';
import type { PublishSpec } from '../../core/run/run-spec.ts';
import type { Topology } from './compile-topology.ts';
import {
  addPattern,
  createPatternTrie,
  findRoutes,
  type PatternTrie,
  type Route,
  type StepBudget,
  visitMeeting,
} from './compile-topology.ts';

/** A hat that may take an event, and the trigger by which it does; `null` where a target names the hat. */
export interface Taker {
  readonly hat: string;
  readonly trigger: string | null;
}

export interface TakerIndex {
  /** In the order of the file; under `exclusive` routing a plain topic has at most one. Empty where nobody takes it. */
  readonly takersOf: (publish: PublishSpec) => readonly Taker[];
  /**
   * Visits the triggers by which a topic or pattern may be taken until `visit` says false: of a topic those of the best precedence (several
   * where they tie), of a pattern all that meet it. Returns false where the team has so many patterns that not all were looked at.
   */
  readonly visitRoutes: (topic: string, visit: (route: Route) => boolean) => boolean;
  /**
   * For each hat by its place in the file, and each entry of its `publishes` without a target: the trigger that is that very topic. Every rule
   * asks for these, so they are looked up once.
   */
  readonly listExact: () => readonly (readonly (Route | undefined)[])[];
}

const INDEXES = new WeakMap<Topology, TakerIndex>();
/** Steps for all questions about one team together; no real team comes near. */
const BASE_STEPS = 2_000_000;
const STEPS_PER_HAT = 200;
const MAX_REMEMBERED = 20;
/** For up to this many first words all topics are searched; for more they are grouped first. */
const FEW_WORDS = 4;

/** The index of a team, built once; asking it takes time in proportion to the answer. */
export function createTakerIndex(topology: Topology): TakerIndex {
  const known = INDEXES.get(topology);
  if (known !== undefined) return known;
  const { routes } = topology;
  const budget: StepBudget = { steps: BASE_STEPS + STEPS_PER_HAT * topology.hats.length };
  const topics = createTopicTries(routes.exact);
  /** What topics meet, and patterns that meet little: several rules ask for the same ones. */
  const met = new Map<string, readonly Route[]>();
  let exact: readonly (readonly (Route | undefined)[])[] | null = null;
  const index: TakerIndex = {
    listExact: () => {
      exact ??= lookUpExact(topology);
      return exact;
    },
    takersOf: ({ topic, target }) => {
      if (target !== undefined) return topology.hatById.has(target) ? [{ hat: target, trigger: null }] : [];
      return hasWildcard(topic) ? listMeeting(topology, index, topic) : listMatching(topology, topic);
    },
    visitRoutes: (topic, visit) => {
      const remembered = met.get(topic);
      if (remembered !== undefined) {
        remembered.every(visit);
        return true;
      }
      if (!hasWildcard(topic)) {
        const best = findRoutes(routes, topic);
        met.set(topic, best);
        best.every(visit);
        return true;
      }
      const found: Route[] = [];
      let isGoingOn = true;
      const visitOne = (route: Route): boolean => {
        if (found.length <= MAX_REMEMBERED) found.push(route);
        isGoingOn = visit(route);
        return isGoingOn;
      };
      if (!visitMeeting(routes.trie, topic, visitOne, budget)) return false;
      if (isGoingOn && !visitMeeting(topics(topic), topic, visitOne, budget)) return false;
      if (isGoingOn && found.length <= MAX_REMEMBERED) met.set(topic, found);
      return true;
    },
  };
  INDEXES.set(topology, index);
  return index;
}

function lookUpExact({ hats, routes }: Topology): readonly (readonly (Route | undefined)[])[] {
  return hats.map((hat) => hat.publishes.map(({ topic, target }) => (target === undefined ? routes.exact.get(topic) : undefined)));
}

/**
 * Triggers that are written out, in tries that are built when they are first asked for: one for each first word, and one of all for patterns
 * that begin with `*`. Most teams ask for few of them.
 */
function createTopicTries(exact: ReadonlyMap<string, Route>): (pattern: string) => PatternTrie<Route> {
  const tries = new Map<string, PatternTrie<Route>>();
  let byWord: Map<string, Route[]> | null = null;
  return (pattern) => {
    const word = firstWord(pattern);
    const known = tries.get(word);
    if (known !== undefined) return known;
    const trie = createPatternTrie<Route>();
    if (tries.size >= FEW_WORDS) byWord ??= groupByWord(exact);
    const routes = word === '*' ? exact.values() : (byWord?.get(word) ?? (byWord === null ? listByWord(exact, word) : []));
    for (const route of routes) addPattern(trie, route.pattern, route);
    tries.set(word, trie);
    return trie;
  };
}

function* listByWord(exact: ReadonlyMap<string, Route>, word: string): Iterable<Route> {
  const start = `${word}.`;
  for (const route of exact.values()) if (route.pattern === word || route.pattern.startsWith(start)) yield route;
}

function groupByWord(exact: ReadonlyMap<string, Route>): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of exact.values()) {
    const word = firstWord(route.pattern);
    const group = groups.get(word);
    if (group === undefined) groups.set(word, [route]);
    else group.push(route);
  }
  return groups;
}

function firstWord(pattern: string): string {
  const end = pattern.indexOf('.');
  return end < 0 ? pattern : pattern.slice(0, end);
}

function listMatching({ routes, spec }: Topology, topic: string): readonly Taker[] {
  const found = findRoutes(routes, topic);
  const [first] = found;
  if (first === undefined) return [];
  const isFanout = spec.routing === 'fanout';
  const toTakers = ({ pattern, hats }: Route): readonly Taker[] =>
    (isFanout ? hats : hats.slice(0, 1)).map((hat) => ({ hat, trigger: pattern }));
  if (found.length === 1) return toTakers(first);
  const place = (taker: Taker): number => routes.positions.get(taker.hat) ?? 0;
  const sorted = found.flatMap(toTakers).sort((a, b) => place(a) - place(b));
  return isFanout ? keepFirstOfEach(sorted) : sorted.slice(0, 1);
}

/** Of each hat the first of its triggers that meets the pattern. */
function listMeeting(topology: Topology, index: TakerIndex, pattern: string): readonly Taker[] {
  const triggers = new Set<string>();
  const hats = new Set<string>();
  index.visitRoutes(pattern, (route) => {
    triggers.add(route.pattern);
    for (const hat of route.hats) hats.add(hat);
    return true;
  });
  const place = (hat: string): number => topology.routes.positions.get(hat) ?? 0;
  return [...hats]
    .sort((a, b) => place(a) - place(b))
    .map((hat) => ({ hat, trigger: topology.hatById.get(hat)?.triggers.find((trigger) => triggers.has(trigger)) ?? null }));
}

function keepFirstOfEach(takers: readonly Taker[]): readonly Taker[] {
  const seen = new Set<string>();
  return takers.filter(({ hat }) => !seen.has(hat) && seen.add(hat));
}
