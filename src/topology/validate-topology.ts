import type { FlowFinding } from '../core/index.ts';
import type { FlowFacts } from './flow-rule.ts';
import { FLOW_RULES } from './rules/flow-rules.ts';
import type { Topology } from './topology.ts';

/** Everything that can be said about the flow of events (decisions, section 2); in no particular order. */
export function validateTopology(topology: Topology, facts: FlowFacts = { looseTriggers: {} }): readonly FlowFinding[] {
  return FLOW_RULES.flatMap((rule) => rule(topology, facts));
}
