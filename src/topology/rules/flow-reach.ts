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
  /** By the places of hats in the file: 1 for those that can. */
  readonly isReached: Uint8Array;
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
  const { hats, routes } = topology;
  const isReached = new Uint8Array(hats.length);
  const isPassed = new Uint8Array(routes.exact.size + routes.patterns.length);
  const queue: number[] = [];
  const topics = new Set<string>();
  const reachHat = (place: number | undefined): void => {
    if (place === undefined || isReached[place] !== 0) return;
    isReached[place] = 1;
    queue.push(place);
  };
  const reachRoute = (route: Route): boolean => {
    if (isPassed[route.place] === 1) return true;
    isPassed[route.place] = 1;
    // A completion ends the run: whoever waits for it never has a turn.
    if (!isCompletionTopic(topology, route.pattern)) route.takers.forEach(reachHat);
    return queue.length < hats.length;
  };
  const reachTopic = (topic: string, exact = routes.exact.get(topic)): boolean => {
    if (exact !== undefined) reachRoute(exact);
    if (exact !== undefined || topics.has(topic) || queue.length === hats.length) return true;
    topics.add(topic);
    return index.visitRoutes(topic, reachRoute);
  };
  for (const id of [topology.entry, topology.fallback, ...given]) reachHat(routes.positions.get(id));
  let isWhole = listRootTopics(topology).every((topic) => reachTopic(topic));
  const exact = index.listExact();
  for (let at = 0; at < queue.length && isWhole; at += 1) {
    const place = queue[at] as number;
    const hat = hats[place] as HatSpec;
    const own = exact[place];
    hat.transitions.forEach((id) => {
      reachHat(routes.positions.get(id));
    });
    hat.publishes.forEach(({ topic, target }, entry) => {
      if (target !== undefined) reachHat(routes.positions.get(target));
      else isWhole &&= reachTopic(topic, own?.[entry]);
    });
    hat.defaultPublishes.forEach((topic) => {
      isWhole &&= reachTopic(topic);
    });
  }
  return { isReached, isWhole };
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
