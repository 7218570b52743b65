import { comparePrecedence, type HatSpec, hasWildcard, matchesTopic, type PatternPrecedence, toPrecedence } from '../core/index.ts';

/** One trigger with the hats that have it, in the order of the file. */
export interface Route {
  readonly pattern: string;
  readonly precedence: PatternPrecedence;
  readonly hats: readonly string[];
}

/** Triggers, ready to be looked up: exact topics by text, patterns by their first segment. */
export interface RouteTable {
  readonly exact: ReadonlyMap<string, Route>;
  /** Patterns by first segment (`*` for those that begin with one), best precedence first. */
  readonly patterns: ReadonlyMap<string, readonly Route[]>;
  /** Place of each hat in the file. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Builds the table in time proportional to the number of triggers (and their sorting). */
export function createRouteTable(hats: readonly HatSpec[]): RouteTable {
  const byPattern = new Map<string, string[]>();
  for (const hat of hats) {
    for (const trigger of new Set(hat.triggers)) {
      const takers = byPattern.get(trigger);
      if (takers === undefined) byPattern.set(trigger, [hat.id]);
      else takers.push(hat.id);
    }
  }
  const exact = new Map<string, Route>();
  const patterns = new Map<string, Route[]>();
  for (const [pattern, takers] of byPattern) {
    const route: Route = { pattern, precedence: toPrecedence(pattern), hats: takers };
    if (hasWildcard(pattern)) addTo(patterns, firstSegment(pattern), route);
    else exact.set(pattern, route);
  }
  for (const list of patterns.values()) list.sort((a, b) => comparePrecedence(b.precedence, a.precedence));
  return { exact, patterns, positions: new Map(hats.map((hat, index) => [hat.id, index])) };
}

/**
 * The routes of the best precedence that match the topic; several only where different patterns tie.
 * Exact > more literal segments > more literal characters > `*`.
 */
export function findRoutes(table: RouteTable, topic: string): readonly Route[] {
  const exact = table.exact.get(topic);
  if (exact !== undefined) return [exact];
  const best: Route[] = [];
  for (const key of [firstSegment(topic), '*']) {
    for (const route of table.patterns.get(key) ?? []) {
      const order = best[0] === undefined ? 1 : comparePrecedence(route.precedence, best[0].precedence);
      if (order < 0) break;
      if (!matchesTopic(route.pattern, topic)) continue;
      if (order > 0) best.length = 0;
      best.push(route);
    }
  }
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

function firstSegment(pattern: string): string {
  const cut = pattern.indexOf('.');
  return cut < 0 ? pattern : pattern.slice(0, cut);
}

function addTo(map: Map<string, Route[]>, key: string, route: Route): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [route]);
  else list.push(route);
}
