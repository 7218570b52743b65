import { TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT } from '../core/events/reserved.ts';
import { hasWildcard, intersectsPatterns, matchesTopic } from '../core/events/topics.ts';
import { toPanelTopics } from '../core/run/panel-topics.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { isCompletionTopic, mayEnd, takersOf } from '../topology/routing/queries.ts';
import type { SimulatedChoice } from './simulation-types.ts';

/** Topics that only the loop itself publishes, though Ralph might. */
const OF_THE_LOOP: readonly string[] = [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT, TOPIC_CONTINUE];

/** Says what a hat, or Ralph, may do at the end of a turn. The choices of each are computed once. */
export function createChoiceTable(topology: Topology): (hat: string) => readonly SimulatedChoice[] {
  const known = new Map<string, readonly SimulatedChoice[]>();
  const instancesOf = createInstances(topology);
  return (hat) => {
    const before = known.get(hat);
    if (before !== undefined) return before;
    const choices = listChoices(topology, hat, instancesOf);
    known.set(hat, choices);
    return choices;
  };
}

/** All of them are equally likely, the end of the run being one, a pattern being one. In solo there are two: the end, and going on. */
function listChoices(topology: Topology, hat: string, instancesOf: (pattern: string) => readonly string[]): readonly SimulatedChoice[] {
  const promise: readonly SimulatedChoice[] = mayEnd(topology, hat) ? [{ kind: 'promise' }] : [];
  if (topology.coordination === 'solo') return [...promise, { kind: 'silent' }];
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return [...listOfRalph(topology), ...promise];
  if (spec.panel !== undefined) return listOfPanel(topology, spec);
  const events = spec.publishes.flatMap(({ topic, target }): readonly SimulatedChoice[] => {
    const topics = instancesOf(topic).filter((entry) => !isCompletionTopic(topology, entry));
    if (topics.length === 0) return [];
    return [target === undefined ? { kind: 'event', topics } : { kind: 'event', topics, target }];
  });
  const transitions = spec.transitions.filter((next) => topology.hatById.has(next));
  return [...events, ...transitions.map((next): SimulatedChoice => ({ kind: 'transition', hat: next })), ...promise];
}

/** A panel publishes what an answer names: a topic that is written out. It has no words of its own that could end the run. */
function listOfPanel(topology: Topology, spec: HatSpec): readonly SimulatedChoice[] {
  return toPanelTopics(spec).topics.map((topic) =>
    isCompletionTopic(topology, topic) ? { kind: 'promise' } : { kind: 'event', topics: [topic] },
  );
}

/** Ralph publishes what a hat takes, of each pattern one topic, or what the run requires. */
function listOfRalph(topology: Topology): readonly SimulatedChoice[] {
  const { requiredEvents } = topology.spec;
  const taken = topology.hats.flatMap((hat) => hat.triggers.map(fillIn));
  return [...new Set([...taken, ...requiredEvents])]
    .filter((topic) => !OF_THE_LOOP.includes(topic) && !isCompletionTopic(topology, topic))
    .map((topic): SimulatedChoice => ({ kind: 'event', topics: [topic] }));
}

/** Stands for whatever an agent may write in the place of a `*`. */
const ANY = 'any';

/**
 * Says which topics somebody may write under a pattern of a hat's `publishes`: those of the team that the pattern lets through (taken, terminal or
 * required), and any other, which counts only where somebody takes it. Where there are none: that other one alone. A topic stands for itself.
 */
export function createInstances(topology: Topology): (pattern: string) => readonly string[] {
  const triggers = indexTriggers(topology);
  const { terminalEvents, requiredEvents } = topology.spec;
  return (pattern) => {
    if (!hasWildcard(pattern)) return [pattern];
    const topics = new Set<string>();
    for (const trigger of triggers(pattern)) {
      if (!intersectsPatterns(trigger, pattern)) continue;
      const topic = hasWildcard(trigger) ? joinPatterns(trigger, pattern) : trigger;
      if (matchesTopic(pattern, topic) && takersOf(topology, topic).length > 0) topics.add(topic);
    }
    for (const topic of [...terminalEvents, ...requiredEvents]) if (matchesTopic(pattern, topic)) topics.add(topic);
    const other = fillIn(pattern);
    if (topics.size === 0 || takersOf(topology, other).length > 0) topics.add(other);
    return [...topics];
  };
}

/** The triggers that may have to do with a pattern, by their first segment: teams may have thousands of both. */
function indexTriggers({ hats }: Topology): (pattern: string) => readonly string[] {
  const all = [...new Set(hats.flatMap((hat) => hat.triggers))];
  const byFirst = new Map<string, string[]>();
  for (const trigger of all) {
    const first = firstSegment(trigger);
    const known = byFirst.get(first);
    if (known === undefined) byFirst.set(first, [trigger]);
    else known.push(trigger);
  }
  return (pattern) => {
    const first = firstSegment(pattern);
    return first === '*' ? all : [...(byFirst.get(first) ?? []), ...(byFirst.get('*') ?? [])];
  };
}

function firstSegment(pattern: string): string {
  return pattern.split('.', 1)[0] as string;
}

/** A topic that both patterns match, where they intersect. */
function joinPatterns(left: string, right: string): string {
  const [a, b] = [left.split('.'), right.split('.')];
  const length = Math.max(a.length, b.length);
  const segments = Array.from({ length }, (_, index) => {
    const [one, other] = [a[index] ?? '*', b[index] ?? '*'];
    return one === '*' ? other : one;
  });
  return fillIn(segments.join('.'));
}

/** A topic that the pattern matches. */
function fillIn(pattern: string): string {
  return pattern
    .split('.')
    .map((segment) => (segment === '*' ? ANY : segment))
    .join('.');
}
