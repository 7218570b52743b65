import { DEFAULT_HAT, EXTERNAL, RALPH, TOPIC_COMPLETE } from '../../core/events/reserved.ts';
import { intersectsPatterns, isTopic, matchesTopic } from '../../core/events/topics.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import type { PublishSpec, RunSpec } from '../../core/run/run-spec.ts';
import { findTakers, type Topology } from './compile-topology.ts';

/**
 * The hats that take a topic, without a target: one under `exclusive` routing, all of the best precedence, in the order of the file,
 * under `fanout`. Empty where nobody does.
 */
export function takersOf(topology: Topology, topic: string): readonly string[] {
  const takers = findTakers(topology.routes, topic);
  return topology.spec.routing === 'fanout' ? takers : takers.slice(0, 1);
}

/** Who gets what nobody takes: Ralph; in `mode: single` the one hat. */
export function safetyNetOf(topology: Topology): string {
  return topology.classic ? DEFAULT_HAT : RALPH;
}

/** True for everybody who can have a turn: a hat, or Ralph (who in `mode: single` is the one hat). */
export function hasTurns(topology: Topology, hat: string): boolean {
  return topology.hatById.has(hat) || (hat === RALPH && !topology.classic);
}

/** The hat that an entry `{topic, target}` of a hat's `publishes` names for a topic, unless another entry offers the topic to everybody. */
export function listedTargetOf(topology: Topology, hat: string, topic: string): string | undefined {
  const entries = topology.hatById.get(hat)?.publishes.filter((entry) => matchesTopic(entry.topic, topic)) ?? [];
  return entries.every((entry) => entry.target !== undefined) ? entries[0]?.target : undefined;
}

/**
 * True if a hat, Ralph or a person may publish the topic. Ralph and people may publish any topic that a hat takes, that is required, terminal or gated;
 * anything in solo. A hat: what its `publishes` match; an entry with a target counts only towards that target. In files that
 * give a `mode`, a known target lifts all of this.
 */
export function mayPublish(topology: Topology, hat: string, topic: string, target?: string): boolean {
  const isLifted = topology.spec.mode !== null && target !== undefined && (target === RALPH || topology.hatById.has(target));
  if (hat === RALPH || hat === EXTERNAL) return isLifted || mayCoordinatorPublish(topology, topic);
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return false;
  const isTowards = (entry: PublishSpec): boolean => entry.target === undefined || target === undefined || entry.target === target;
  return isLifted || spec.publishes.some((entry) => matchesTopic(entry.topic, topic) && isTowards(entry));
}

function mayCoordinatorPublish(topology: Topology, topic: string): boolean {
  if (topology.coordination === 'solo') return true;
  if (findTakers(topology.routes, topic).length > 0 || topology.spec.terminalEvents.includes(topic)) return true;
  if (topology.spec.requiredEvents.includes(topic)) return true;
  return topology.spec.gates.some((gate) => gate.on.some((pattern) => matchesTopic(pattern, topic)));
}

/**
 * True if a hat or Ralph may hand over to a hat without naming a topic (`HAT_TRANSITION`): the hat is listed in its `transitions`, or takes
 * a topic that it may publish.
 */
export function mayHandOn(topology: Topology, hat: string, next: string): boolean {
  const taker = topology.hatById.get(next);
  if (taker === undefined) return false;
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return hat === RALPH;
  if (spec.transitions.includes(next)) return true;
  const takes = (topic: string): boolean => taker.triggers.some((trigger) => intersectsPatterns(trigger, topic));
  return spec.publishes.some((entry) => (entry.target === undefined ? takes(entry.topic) : entry.target === next));
}

/** True if a hat or Ralph may end the run. People may not: they stop it. */
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

/** Whether an event that hooks were asked about may be routed in a hat's name, with the topic and the target that they gave it. */
export function mayStandFor(topology: Topology, hat: string, topic: string, target?: string): boolean {
  const isKnown = target === undefined || hasTurns(topology, target);
  const mayBe = hat === EXTERNAL || mayPublish(topology, hat, topic, target);
  return isTopic(topic) && isKnown && mayBe && !isCompletionTopic(topology, topic);
}

/** The gates on events of a hat whose patterns match one of the topics, by place in the list. */
export function listGuards(
  { gates, promise }: Pick<RunSpec, 'gates' | 'promise'>,
  hat: string,
  topics: readonly string[],
): readonly number[] {
  // `task.complete` stands for every way to complete, so a gate on the promise guards it too.
  const isGuarded = (gate: GateSpec, topic: string): boolean =>
    gate.on.some((pattern) => matchesTopic(pattern, topic) || (topic === TOPIC_COMPLETE && pattern === promise));
  // What comes from outside has been through no hat: every gate on its topic looks at it.
  const isFor = ({ hats }: GateSpec): boolean => hats === undefined || hat === EXTERNAL || hats.includes(hat);
  return gates.flatMap((gate, index) => (isFor(gate) && topics.some((topic) => isGuarded(gate, topic)) ? [index] : []));
}

/** True if the topic needs no taker. */
export function isTerminalTopic(topology: Topology, topic: string): boolean {
  return isCompletionTopic(topology, topic) || topology.spec.terminalEvents.includes(topic);
}

/** The topics and patterns that a hat or Ralph may publish, as a person or a prompt lists them; completion topics left out. */
export function publishableBy(topology: Topology, hat: string): readonly string[] {
  const spec = topology.hatById.get(hat);
  const topics = spec === undefined ? coordinatorTopics(topology) : spec.publishes.map((entry) => entry.topic);
  return [...new Set(topics)].filter((topic) => !isCompletionTopic(topology, topic));
}

/** The same with what ends the run, where the hat may: all that it can hand in. */
export function emittableBy(topology: Topology, hat: string): readonly string[] {
  const ends = mayEnd(topology, hat) ? [TOPIC_COMPLETE, topology.spec.promise] : [];
  return [...new Set([...publishableBy(topology, hat), ...ends])];
}

function coordinatorTopics(topology: Topology): readonly string[] {
  const taken = topology.hats.flatMap((hat) => hat.triggers);
  return [...taken, ...topology.spec.terminalEvents, ...topology.spec.requiredEvents];
}

/** Who may receive what is published under a topic or pattern: hat ids, `ralph` for the safety net, empty for a terminal topic. */
export function receiversOf(topology: Topology, publish: { readonly topic: string; readonly target?: string }): readonly string[] {
  if (publish.target !== undefined) return [publish.target];
  if (!publish.topic.includes('*')) {
    const takers = takersOf(topology, publish.topic);
    return takers.length > 0 || isTerminalTopic(topology, publish.topic) ? takers : [safetyNetOf(topology)];
  }
  const takers = topology.hats.filter((hat) => hat.triggers.some((trigger) => intersectsPatterns(trigger, publish.topic)));
  if (takers.length > 0) return takers.map((hat) => hat.id);
  return topology.spec.terminalEvents.some((topic) => matchesTopic(publish.topic, topic)) ? [] : [safetyNetOf(topology)];
}
