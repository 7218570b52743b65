import { comparePrecedence, type HatSpec, hasWildcard, type PatternPrecedence, toPrecedence } from '../core/index.ts';
import { addPattern, createPatternTrie, type PatternTrie, visitMeeting } from './pattern-trie.ts';

/** One trigger with the hats that have it, in the order of the file. */
export interface Route {
  readonly pattern: string;
  /** Its number among all triggers, from 0 on. */
  readonly place: number;
  readonly precedence: PatternPrecedence;
  readonly hats: readonly string[];
  /** The places of these hats in the file. */
  readonly takers: readonly number[];
}

/** Triggers, ready to be looked up: exact topics by text, patterns by their segments. */
export interface RouteTable {
  readonly exact: ReadonlyMap<string, Route>;
  /** Those with a `*`, in the order of the file. */
  readonly patterns: readonly Route[];
  /** The same by their segments. */
  readonly trie: PatternTrie<Route>;
  /** Place of each hat in the file. */
  readonly positions: ReadonlyMap<string, number>;
}

/** No pattern is better than a topic that is written out, and no two of these meet: its words need not be counted. */
const EXACT: PatternPrecedence = [2, 0, 0];

type OpenRoute = Omit<Route, 'hats' | 'takers'> & { hats: string[]; takers: number[] };

/** Builds the table in time proportional to the number of triggers. */
export function createRouteTable(hats: readonly HatSpec[]): RouteTable {
  const exact = new Map<string, OpenRoute>();
  const open = new Map<string, OpenRoute>();
  let place = 0;
  const positions = new Map<string, number>();
  // With callbacks, here and wherever a rule looks at each topic of a team: an iterator makes an object for each.
  hats.forEach(({ id, triggers }, taker) => {
    positions.set(id, taker);
    // Most triggers have one hat: all of a hat's share these two lists until another hat joins.
    const alone = { hats: [id], takers: [taker] };
    triggers.forEach((pattern) => {
      const isOpen = hasWildcard(pattern);
      const routes = isOpen ? open : exact;
      const known = routes.get(pattern);
      if (known === undefined) {
        const precedence = isOpen ? toPrecedence(pattern) : EXACT;
        routes.set(pattern, { pattern, place, precedence, hats: alone.hats, takers: alone.takers });
        place += 1;
      } else if (known.takers[known.takers.length - 1] !== taker) addTaker(known, id, taker);
    });
  });
  const trie = createPatternTrie<Route>();
  for (const route of open.values()) addPattern(trie, route.pattern, route);
  return { exact, patterns: [...open.values()], trie, positions };
}

function addTaker(route: OpenRoute, id: string, taker: number): void {
  if (route.takers.length === 1) {
    route.hats = [...route.hats];
    route.takers = [...route.takers];
  }
  route.hats.push(id);
  route.takers.push(taker);
}

/**
 * The routes of the best precedence that match the topic; several only where different patterns tie.
 * Exact > more literal segments > more literal characters > `*`.
 */
export function findRoutes(table: RouteTable, topic: string): readonly Route[] {
  const exact = table.exact.get(topic);
  if (exact !== undefined) return [exact];
  if (table.patterns.length === 0) return [];
  const best: Route[] = [];
  visitMeeting(table.trie, topic, (route) => {
    const order = best[0] === undefined ? 0 : comparePrecedence(route.precedence, best[0].precedence);
    if (order > 0) best.length = 0;
    if (order >= 0) best.push(route);
    return true;
  });
  return best;
}

/** The hats that take a topic at the best precedence, in the order of the file. Empty where nobody does. */
export function findTakers(table: RouteTable, topic: string): readonly string[] {
  const routes = findRoutes(table, topic);
  const first = routes[0];
  if (first === undefined) return [];
  if (routes.length === 1) return first.hats;
  const takers = [...new Set(routes.flatMap((route) => route.hats))];
  const place = (hat: string): number => table.positions.get(hat) ?? 0;
  return takers.sort((a, b) => place(a) - place(b));
}
