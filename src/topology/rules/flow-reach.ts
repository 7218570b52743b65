import {
  type HatSpec,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  TOPIC_READY,
  TOPIC_RESUME,
  TOPIC_START,
  toBlockedTopic,
} from '../../core/index.ts';
import { isCompletionTopic } from '../queries.ts';
import type { Route } from '../route-table.ts';
import { createTakerIndex } from '../taker-index.ts';
import type { Topology } from '../topology.ts';

/** What people say to a run. */
const HUMAN_TOPICS = 'human.*';

/** Who can ever get a turn. */
export interface FlowReach {
  readonly hats: ReadonlySet<string>;
  /** False where the team has so many patterns that not all were looked at. */
  readonly isWhole: boolean;
}

/**
 * Follows the events from what the loop itself publishes through everything that hats may publish, name as a target or hand on to. Where two
 * hats claim a topic, both count: that is an error of its own. Iterative; each trigger is passed once.
 *
 * @param given hats that count as reached whatever they take
 */
export function findReach(topology: Topology, given: Iterable<string>): FlowReach {
  const index = createTakerIndex(topology);
  const hats = new Set<string>();
  const waiting: HatSpec[] = [];
  const topics = new Set<string>();
  const routes = new Set<Route>();
  const reachHat = (id: string): void => {
    if (hats.has(id)) return;
    const hat = topology.hatById.get(id);
    if (hat === undefined) return;
    hats.add(id);
    waiting.push(hat);
  };
  const reachRoute = (route: Route): boolean => {
    // A completion ends the run: whoever waits for it never has a turn.
    if (isCompletionTopic(topology, route.pattern)) return true;
    const [first] = route.hats;
    if (route.hats.length === 1 && first !== undefined) reachHat(first);
    else if (!routes.has(route)) {
      routes.add(route);
      route.hats.forEach(reachHat);
    }
    return hats.size < topology.hats.length;
  };
  const reachTopic = (topic: string, exact = topology.routes.exact.get(topic)): boolean => {
    if (exact !== undefined) reachRoute(exact);
    if (exact !== undefined || topics.has(topic) || hats.size === topology.hats.length) return true;
    topics.add(topic);
    return index.visitRoutes(topic, reachRoute);
  };
  for (const id of [topology.entry, topology.fallback, ...given]) reachHat(id);
  let isWhole = listRootTopics(topology).every((topic) => reachTopic(topic));
  const exact = index.listExact();
  for (let hat = waiting.pop(); hat !== undefined && isWhole; hat = waiting.pop()) {
    hat.transitions.forEach(reachHat);
    const routes = exact[topology.routes.positions.get(hat.id) ?? -1];
    for (const [at, { topic, target }] of hat.publishes.entries()) {
      if (target !== undefined) reachHat(target);
      else isWhole &&= reachTopic(topic, routes?.[at]);
    }
    for (const topic of hat.defaultPublishes) isWhole &&= reachTopic(topic);
  }
  return { hats, isWhole };
}

/** What is published although no hat does (decisions, section 2). */
export function listRootTopics({ spec, startTopic }: Topology): readonly string[] {
  const system = [TOPIC_START, TOPIC_READY, TOPIC_RESUME, TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT];
  const blocked = spec.gates.flatMap((gate) => gate.on.flatMap(toBlockedTopics));
  return [...new Set([startTopic, ...system, toBlockedTopic(TOPIC_COMPLETE), ...blocked, HUMAN_TOPICS])];
}

/** What a failing gate makes of the topics that it guards; a pattern that is open at the end guards longer ones too. */
function toBlockedTopics(on: string): readonly string[] {
  if (on === '*') return ['*.blocked', '*.*.blocked'];
  return on.endsWith('.*') ? [toBlockedTopic(on), toBlockedTopic(`${on}.*`)] : [toBlockedTopic(on)];
}
