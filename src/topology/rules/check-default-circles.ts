import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findComponents } from '../analysis/hat-graph.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { isCompletionTopic, receiversOf } from '../routing/queries.ts';

const SHOWN_HATS = 6;

/**
 * Hats that call each other by `default_publishes` and publish nothing that leads out: agents that say nothing go round for ever. A way out is a topic
 * that somebody else takes, one that ends the run or that nobody takes, `max_activations`, or a transition to another hat.
 */
export const checkDefaultCircles: FlowRule = (topology) => {
  const places = new Map(topology.hats.map((hat, place) => [hat.id, place]));
  const nextOf = (place: number): readonly number[] => {
    const hat = topology.hats[place];
    return hat === undefined
      ? []
      : hat.defaultPublishes.flatMap((topic) => takersOfDefault(topology, hat, topic).flatMap((id) => places.get(id) ?? []));
  };
  return findComponents(topology.hats.length, nextOf)
    .filter((members) => members.length > 1 || members.some((place) => nextOf(place).includes(place)))
    .map((members) => members.toSorted((a, b) => a - b).flatMap((place) => topology.hats[place] ?? []))
    .filter((hats) => !hats.some((hat) => isWayOut(topology, hat, new Set(hats.map(({ id }) => id)))))
    .map((hats) => toFinding(hats));
};

function takersOfDefault(topology: Topology, hat: HatSpec, topic: string): readonly string[] {
  return receiversOf(topology, hat.publishes.find((entry) => entry.topic === topic) ?? { topic });
}

function isWayOut(topology: Topology, hat: HatSpec, circle: ReadonlySet<string>): boolean {
  if (hat.maxActivations !== null || hat.transitions.some((id) => !circle.has(id))) return true;
  return hat.publishes.some((entry) => {
    const receivers = receiversOf(topology, entry);
    return isCompletionTopic(topology, entry.topic) || receivers.length === 0 || receivers.some((id) => !circle.has(id));
  });
}

function toFinding(hats: readonly HatSpec[]): FlowFinding {
  const ids = hats.map((hat) => hat.id);
  const [first = ''] = ids;
  const names = ids.slice(0, SHOWN_HATS).join(', ');
  return {
    code: 'default-circle',
    severity: 'warning',
    at: { kind: 'hat', hat: first },
    message: `${names} ${ids.length === 1 ? 'calls itself' : 'call each other'} by default_publishes, and nothing leads out.`,
    why: 'A turn that says nothing publishes its default, and that calls the next turn of the circle. Agents that forget to publish go round until loop detection or a limit stops the run.',
    fix: `Take default_publishes away from '${first}', give it a topic that leads out of the circle, or limit it: max_activations.`,
    hats: ids.slice(0, 20),
    topics: [...new Set(hats.flatMap((hat) => hat.defaultPublishes))].slice(0, 20),
  };
}
