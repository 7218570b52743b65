import { EXTERNAL, intersectsPatterns, matchesTopic, RALPH, TOPIC_COMPLETE } from '../core/index.ts';
import { findRoutes } from './route-table.ts';
import type { Topology } from './topology.ts';

/**
 * The hats that take a topic, without a target: one under `exclusive` routing, all of the best precedence, in the order of the file,
 * under `fanout`. Empty where nobody does.
 */
export function takersOf(topology: Topology, topic: string): readonly string[] {
  const routes = findRoutes(topology.routes, topic);
  const first = routes[0];
  if (first === undefined) return [];
  if (routes.length === 1 && first.hats.length === 1) return first.hats;
  const takers = new Set(routes.flatMap((route) => route.hats));
  const ordered = topology.hats.filter((hat) => takers.has(hat.id)).map((hat) => hat.id);
  return topology.spec.routing === 'fanout' ? ordered : ordered.slice(0, 1);
}

/**
 * True if the wearer may publish the topic. Ralph and people may publish any topic that a hat takes, that is required, terminal or gated;
 * anything in solo. A hat: what its `publishes` match; an entry with a target counts only towards that target.
 */
export function mayPublish(topology: Topology, hat: string, topic: string, target?: string): boolean {
  if (hat === RALPH || hat === EXTERNAL) return mayCoordinatorPublish(topology, topic);
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return false;
  const listed = spec.publishes.some((entry) => matchesTopic(entry.topic, topic) && (entry.target === undefined || target === undefined || entry.target === target));
  return listed || (topology.spec.mode !== null && target !== undefined && topology.hatById.has(target));
}

function mayCoordinatorPublish(topology: Topology, topic: string): boolean {
  if (topology.coordination === 'solo') return true;
  if (findRoutes(topology.routes, topic).length > 0 || topology.spec.terminalEvents.includes(topic)) return true;
  if (topology.spec.requiredEvents.includes(topic)) return true;
  return topology.spec.gates.some((gate) => gate.on.some((pattern) => matchesTopic(pattern, topic)));
}

/** True if the wearer may end the run (decisions, section 1). People may not: they stop it. */
export function mayEnd(topology: Topology, hat: string): boolean {
  if (topology.coordination === 'solo') return hat !== EXTERNAL;
  if (hat === RALPH) return topology.coordination === 'ralph';
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return false;
  const lone = topology.hats.length === 1;
  if (topology.coordination === 'hats' && (lone || hat === topology.recoveryHat)) return true;
  return spec.publishes.some((entry) => matchesTopic(entry.topic, topology.spec.promise) || matchesTopic(entry.topic, TOPIC_COMPLETE));
}

/** True if the topic ends the run when somebody who may publishes it. */
export function isCompletionTopic(topology: Topology, topic: string): boolean {
  return topic === TOPIC_COMPLETE || topic === topology.spec.promise;
}

/** True if the topic needs no taker. */
export function isTerminalTopic(topology: Topology, topic: string): boolean {
  return isCompletionTopic(topology, topic) || topology.spec.terminalEvents.includes(topic);
}

/** The topics and patterns that a wearer may publish, as a person or a prompt lists them; completion topics left out. */
export function publishableBy(topology: Topology, hat: string): readonly string[] {
  const spec = topology.hatById.get(hat);
  const topics = spec === undefined ? coordinatorTopics(topology) : spec.publishes.map((entry) => entry.topic);
  return [...new Set(topics)].filter((topic) => !isCompletionTopic(topology, topic));
}

function coordinatorTopics(topology: Topology): readonly string[] {
  const taken = topology.hats.flatMap((hat) => hat.triggers);
  return [...taken, ...topology.spec.terminalEvents, ...topology.spec.requiredEvents];
}

/** Who may receive what a wearer publishes under a topic or pattern: hat ids, `ralph` for the safety net, empty for a terminal topic. */
export function receiversOf(topology: Topology, publish: { readonly topic: string; readonly target?: string }): readonly string[] {
  if (publish.target !== undefined) return [publish.target];
  if (!publish.topic.includes('*')) {
    const takers = takersOf(topology, publish.topic);
    return takers.length > 0 || isTerminalTopic(topology, publish.topic) ? takers : [RALPH];
  }
  return topology.hats.filter((hat) => hat.triggers.some((trigger) => intersectsPatterns(trigger, publish.topic))).map((hat) => hat.id);
}
