import { DEFAULT_HAT, RALPH, TOPIC_READY, TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import type { HatSpec, RunSpec } from '../../core/run/run-spec.ts';
import type { Coordination, Topology } from './topology.ts';
import { createRouteTable, findTakers, type RouteTable } from './topology.ts';

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

interface EntryFacts {
  readonly hats: readonly HatSpec[];
  readonly routes: RouteTable;
  readonly coordination: Coordination;
  readonly classic: boolean;
  readonly startTopic: string;
  readonly recoveryHat: string | null;
}

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
