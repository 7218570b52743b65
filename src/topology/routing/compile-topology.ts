import { DEFAULT_HAT, RALPH, TOPIC_READY, TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import { comparePrecedence, hasWildcard, type PatternPrecedence, toPrecedence } from '../../core/events/topics.ts';
import type { HatSpec, RunSpec } from '../../core/run/run-spec.ts';

/**
 * Turns a declaration into a topology. Total: a declaration with findings still compiles; `validateTopology` says what is
 * wrong with it.
 */
export function compileTopology(spec: RunSpec): Topology {
  const classic = spec.mode === 'single';
  const hats = classic ? [toDefaultHat(spec)] : (spec.hats ?? []);
  const routes = createRouteTable(hats);
  const coordination = toCoordination(spec, classic, hats, routes);
  const recoveryHat = coordination === 'solo' ? null : findRecoveryHat(spec, hats, routes);
  const startTopic = toStartTopic(spec, routes, coordination);
  const entry = findEntry(spec, { hats, routes, coordination, classic, startTopic, recoveryHat });
  const fallback = classic ? DEFAULT_HAT : coordination === 'hats' ? (recoveryHat ?? entry) : RALPH;
  const hatById = new Map(hats.map((hat) => [hat.id, hat]));
  return { spec, coordination, hats, hatById, routes, startTopic, entry, fallback, recoveryHat, classic };
}

/** The implicit hat of `mode: single`: it takes everything and may publish everything. */
function toDefaultHat(spec: RunSpec): HatSpec {
  return {
    id: DEFAULT_HAT,
    name: 'Default',
    description: 'Does the whole task, one step a turn.',
    triggers: ['*'],
    publishes: [{ topic: '*' }],
    defaultPublishes: [],
    transitions: [],
    instructions: spec.ralph.instructions,
    maxActivations: null,
    timeoutMs: spec.ralph.timeoutMs,
    idleTimeoutMs: spec.ralph.idleTimeoutMs,
    backends: spec.ralph.backends,
  };
}

function toCoordination(spec: RunSpec, classic: boolean, hats: readonly HatSpec[], routes: RouteTable): Coordination {
  if (classic || hats.length === 0) return 'solo';
  if (spec.mode === 'multi' || spec.coordinator === 'hats') return 'hats';
  if (spec.coordinator === 'ralph') return 'ralph';
  if (spec.startingHat !== null) return 'hats';
  return [TOPIC_START, TOPIC_READY, TOPIC_RESUME].some((topic) => findTakers(routes, topic).length > 0) ? 'hats' : 'ralph';
}

/** `recovery_hat`; else a hat called `planner`; else the one that takes `task.resume` best; else the one that takes the start. */
function findRecoveryHat(spec: RunSpec, hats: readonly HatSpec[], routes: RouteTable): string | null {
  if (spec.recoveryHat !== null && hats.some((hat) => hat.id === spec.recoveryHat)) return spec.recoveryHat;
  if (hats.some((hat) => hat.id === 'planner')) return 'planner';
  return firstTaker(routes, TOPIC_RESUME) ?? firstTaker(routes, TOPIC_START) ?? firstTaker(routes, TOPIC_READY) ?? spec.startingHat;
}

function toStartTopic(spec: RunSpec, routes: RouteTable, coordination: Coordination): string {
  if (spec.startingEvent !== null && coordination !== 'solo') return spec.startingEvent;
  const onlyReady = firstTaker(routes, TOPIC_START) === null && firstTaker(routes, TOPIC_READY) !== null;
  return coordination === 'hats' && onlyReady ? TOPIC_READY : TOPIC_START;
}

type EntryFacts = Pick<Topology, 'hats' | 'routes' | 'coordination' | 'classic' | 'startTopic' | 'recoveryHat'>;

function findEntry(spec: RunSpec, facts: EntryFacts): string {
  if (facts.classic) return DEFAULT_HAT;
  if (facts.coordination === 'solo') return RALPH;
  if (facts.coordination === 'ralph') return (spec.startingEvent === null ? null : firstTaker(facts.routes, spec.startingEvent)) ?? RALPH;
  if (spec.startingHat !== null && facts.hats.some((hat) => hat.id === spec.startingHat)) return spec.startingHat;
  return firstTaker(facts.routes, facts.startTopic) ?? facts.recoveryHat ?? facts.hats[0]?.id ?? RALPH;
}

function firstTaker(routes: RouteTable, topic: string): string | null {
  return findTakers(routes, topic)[0] ?? null;
}

/** Who coordinates: one agent alone, Ralph, or the hats themselves. */
export type Coordination = 'solo' | 'ralph' | 'hats';

/** A checked declaration with everything that routing needs looked up once. Immutable. */
export interface Topology {
  readonly spec: RunSpec;
  readonly coordination: Coordination;
  /** In the order of the file; in `mode: single` the one hat `default`. */
  readonly hats: readonly HatSpec[];
  readonly hatById: ReadonlyMap<string, HatSpec>;
  readonly routes: RouteTable;
  /** The topic that begins the run. */
  readonly startTopic: string;
  /** Who gets it: a hat id or `ralph`. */
  readonly entry: string;
  /** Who is called when the queue is empty: a hat id or `ralph`. */
  readonly fallback: string;
  readonly recoveryHat: string | null;
  /** True in `mode: single`: the classic loop of one hat. */
  readonly classic: boolean;
}

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

/** A place in a trie: what the segments on the way there stand for. */
interface TrieNode<Value> {
  literals: Map<string, TrieNode<Value>> | null;
  /** Behind a `*` that is not the last segment. */
  star: TrieNode<Value> | null;
  /** Of the pattern that ends here with a word. */
  value: Value | undefined;
  /** Of the pattern whose last segment is a `*` behind this place. */
  open: Value | undefined;
}

/** Topics and patterns by their segments, so that those which meet another one are found without looking at each. */
export interface PatternTrie<Value> {
  readonly root: TrieNode<Value>;
}

/** How much may still be looked at; shared by many questions, so that all of them together take bounded time. */
export interface StepBudget {
  steps: number;
}

export function createPatternTrie<Value>(): PatternTrie<Value> {
  return { root: createNode() };
}

/** Adds a topic or pattern; one that is there already gets the new value. */
export function addPattern<Value>({ root }: PatternTrie<Value>, pattern: string, value: Value): void {
  const segments = pattern.split('.');
  let node = root;
  for (let index = 0; index < segments.length - 1; index += 1) node = stepInto(node, segments[index] as string);
  const last = segments[segments.length - 1] as string;
  if (last === '*') node.open = value;
  else stepInto(node, last).value = value;
}

/**
 * Visits everything in the trie that some topic matches together with the given topic or pattern, in no particular order, until `visit` says
 * false. A topic meets exactly the patterns that match it.
 *
 * @returns false where the budget was spent before everything was looked at
 */
export function visitMeeting<Value>(
  trie: PatternTrie<Value>,
  pattern: string,
  visit: (value: Value) => boolean,
  budget: StepBudget = { steps: Number.POSITIVE_INFINITY },
): boolean {
  const segments = pattern.split('.');
  const nodes: TrieNode<Value>[] = [trie.root];
  const depths: number[] = [0];
  const push = (node: TrieNode<Value>, depth: number): void => {
    nodes.push(node);
    depths.push(depth);
  };
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const depth = depths.pop() as number;
    budget.steps -= 1;
    if (budget.steps < 0) return false;
    const isBelow = depth > segments.length;
    if (depth >= segments.length && node.value !== undefined && !visit(node.value)) return true;
    if (depth === segments.length) continue;
    if (node.open !== undefined && !visit(node.open)) return true;
    const segment = segments[depth];
    if (isBelow || segment === '*') {
      // Behind the last `*` of the pattern everything further down meets it too.
      const next = isBelow || depth === segments.length - 1 ? segments.length + 1 : depth + 1;
      budget.steps -= node.literals?.size ?? 0;
      if (budget.steps < 0) return false;
      for (const child of node.literals?.values() ?? []) push(child, next);
      if (node.star !== null) push(node.star, next);
    } else {
      const child = node.literals?.get(segment as string);
      if (node.star !== null) push(node.star, depth + 1);
      if (child !== undefined) push(child, depth + 1);
    }
  }
  return true;
}

function createNode<Value>(): TrieNode<Value> {
  return { literals: null, star: null, value: undefined, open: undefined };
}

function stepInto<Value>(node: TrieNode<Value>, segment: string): TrieNode<Value> {
  if (segment === '*') {
    node.star ??= createNode();
    return node.star;
  }
  node.literals ??= new Map();
  let child = node.literals.get(segment);
  if (child === undefined) {
    child = createNode();
    node.literals.set(segment, child);
  }
  return child;
}
