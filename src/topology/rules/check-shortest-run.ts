import { RALPH } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findReached, type HatGraph, type ReachedHats } from '../analysis/hat-graph.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { mayEnd, takersOf } from '../routing/queries.ts';

/**
 * Compares `max_iterations` with the fewest turns in which the events lead from the start to a completion, `required_events` on the way. Under `ralph`
 * every turn can be followed by Ralph; under `hats` a silent turn is followed by the recovery hat too, but nobody plans with that.
 */
export const checkShortestRun: FlowRule = (topology, facts) => {
  const { maxIterations } = topology.spec.limits;
  // On a shortest way no hat needs two turns, except the one that ends the run.
  if (topology.coordination === 'solo' || maxIterations > topology.hats.length) return [];
  const graph = facts.hatGraph();
  if (graph === null) return [];
  const shortest = topology.coordination === 'ralph' ? countUnderRalph(topology) : countUnderHats(topology, graph);
  return shortest === null || shortest <= maxIterations ? [] : [toFinding(maxIterations, shortest)];
};

function countUnderRalph(topology: Topology): number {
  return topology.entry === RALPH || mayEnd(topology, topology.entry) ? 1 : 2;
}

/** `null` where no way leads to a completion: that has a finding of its own. */
function countUnderHats(topology: Topology, graph: HatGraph): number | null {
  if (topology.spec.requiredEvents.length === 0 && mayEnd(topology, topology.entry)) return 1;
  const isEnd = topology.hats.map((hat) => mayEnd(topology, hat.id));
  const entries = takersOf(topology, topology.startTopic);
  const start = topology.spec.routing === 'fanout' && topology.spec.startingHat === null && entries.length > 1 ? entries : [topology.entry];
  const places = new Map(topology.hats.map((hat, place) => [hat.id, place]));
  const before = findReached(
    graph,
    start.flatMap((id) => places.get(id) ?? []),
    { blocked: true },
  );
  const ends = before.places.filter((hat) => isEnd[hat] === true).map((hat) => (before.turns[hat] ?? 0) + 1);
  if (ends.length === 0) return null;
  const least = ends.reduce((a, b) => Math.min(a, b));
  return topology.spec.requiredEvents
    .slice(0, MAX_REQUIRED)
    .reduce((turns, topic) => Math.max(turns, countVia(graph, before, isEnd, topic)), least);
}

const MAX_REQUIRED = 20;

/** The fewest turns in which the topic is published and somebody then ends the run; 0 where that cannot be, or not be known. */
function countVia(graph: HatGraph, before: ReachedHats, isEnd: readonly boolean[], topic: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (const hat of before.places) {
    const turns = before.turns[hat] ?? 0;
    const publishes = (graph.publishes[hat] ?? []).some((place) => matchesTopic(graph.passages[place]?.topic ?? '', topic));
    if (!publishes || turns + 1 >= least) continue;
    // Whoever publishes it in one turn may end in the same one; else at least one more turn is needed.
    least = turns + (isEnd[hat] === true ? 1 : 2);
  }
  return Number.isFinite(least) ? least : 0;
}

function toFinding(maxIterations: number, shortest: number): FlowFinding {
  return {
    code: 'iterations-too-few',
    severity: 'warning',
    at: { kind: 'loop', key: 'max_iterations' },
    message: `\`max_iterations\` is ${maxIterations}, but the shortest way to a completion takes ${shortest} turns.`,
    why: 'The run stops at its limit before the events can have led to a hat that may end it.',
    fix: `Allow at least that many, and some more for work that is sent back:\n\nevent_loop:\n  max_iterations: ${shortest * 3}`,
  };
}
