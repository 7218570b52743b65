import { TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT } from '../core/index.ts';
import { isCompletionTopic, mayEnd, type Topology } from '../topology/index.ts';
import { createInstances, fillIn } from './create-instances.ts';

/**
 * Something that an agent may do at the end of its turn. `event`: publish one of these topics (several where it may publish a
 * pattern); `promise`: say that the work is done; `transition`: hand on by a `HAT_TRANSITION` line; `silent`: write nothing; `failure`: fail.
 */
export type Choice =
  | { readonly kind: 'event'; readonly topics: readonly string[]; readonly target?: string }
  | { readonly kind: 'promise' }
  | { readonly kind: 'transition'; readonly hat: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failure' };

/** Topics that only the loop itself publishes, though Ralph might. */
const OF_THE_LOOP: readonly string[] = [TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT, TOPIC_CONTINUE];

/** Says what a wearer may do; each wearer's choices are put together once. */
export function createChoiceTable(topology: Topology): (hat: string) => readonly Choice[] {
  const known = new Map<string, readonly Choice[]>();
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
function listChoices(topology: Topology, hat: string, instancesOf: (pattern: string) => readonly string[]): readonly Choice[] {
  const promise: readonly Choice[] = mayEnd(topology, hat) ? [{ kind: 'promise' }] : [];
  if (topology.coordination === 'solo') return [...promise, { kind: 'silent' }];
  const spec = topology.hatById.get(hat);
  if (spec === undefined) return [...listOfRalph(topology), ...promise];
  const events = spec.publishes.flatMap(({ topic, target }): readonly Choice[] => {
    const topics = instancesOf(topic).filter((entry) => !isCompletionTopic(topology, entry));
    if (topics.length === 0) return [];
    return [target === undefined ? { kind: 'event', topics } : { kind: 'event', topics, target }];
  });
  const transitions = spec.transitions.filter((next) => topology.hatById.has(next));
  return [...events, ...transitions.map((next): Choice => ({ kind: 'transition', hat: next })), ...promise];
}

/** Ralph publishes what a hat takes, of each pattern one topic, or what the run requires. */
function listOfRalph(topology: Topology): readonly Choice[] {
  const { requiredEvents } = topology.spec;
  const taken = topology.hats.flatMap((hat) => hat.triggers.map(fillIn));
  return [...new Set([...taken, ...requiredEvents])]
    .filter((topic) => !OF_THE_LOOP.includes(topic) && !isCompletionTopic(topology, topic))
    .map((topic): Choice => ({ kind: 'event', topics: [topic] }));
}
