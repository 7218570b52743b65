import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import { toHatsYaml, toOwnTopic } from '../analysis/fix-yaml.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { findReached } from '../analysis/hat-graph.ts';
import type { Topology } from '../routing/compile-topology.ts';

const MAX_FINDINGS = 50;

/**
 * Hats that only run after something failed: an agent's failure (`error.*`), or a gate's (`*.blocked`). A lone `*` is meant to
 * take what is left. Under `ralph`, Ralph can call every hat.
 */
export const checkFailureHats: FlowRule = (topology, facts) => {
  const graph = topology.coordination === 'hats' ? facts.hatGraph() : null;
  if (graph === null) return [];
  const usual = findReached(graph, graph.roots, { blocked: false });
  if (usual.places.length === topology.hats.length) return [];
  const ever = findReached(graph, [...graph.roots, ...graph.failureRoots], { blocked: true });
  return ever.places
    .filter((place) => usual.turns[place] === -1)
    .sort((a, b) => a - b)
    .flatMap((place) => topology.hats[place] ?? [])
    .filter((hat) => !hat.triggers.includes('*'))
    .slice(0, MAX_FINDINGS)
    .map((hat) => toFinding(topology, hat));
};

function toFinding(topology: Topology, { id, triggers }: HatSpec): FlowFinding {
  const entry = topology.hatById.get(topology.entry);
  const topic = toOwnTopic(id, 'request');
  const caller =
    entry === undefined || entry.id === id ? [] : [{ hat: entry.id, list: 'publishes', items: entry.publishes, added: topic } as const];
  return {
    code: 'hat-only-after-failure',
    severity: 'warning',
    at: { kind: 'hat', hat: id },
    message: `Hat '${id}' only runs after a failure.`,
    why: 'All ways to it begin with an agent that failed or a gate that refused. In a run in which nothing fails it is never called.',
    fix: `If it is there for failures alone, leave it. Otherwise let a hat hand over to it:\n\n${toHatsYaml(...caller, { hat: id, list: 'triggers', items: triggers, added: topic })}`,
    hats: [id],
    topics: triggers.slice(0, 20),
  };
}
