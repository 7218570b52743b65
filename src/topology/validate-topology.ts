import type { FlowFinding } from '../core/index.ts';
import { FLOW_RULES } from './rules/flow-rules.ts';
import type { Topology } from './topology.ts';

/** What a rule may know beside the topology. */
export interface FlowFacts {
  /** Topics as they were probably meant where a trigger could not be read, by hat: what they would take is no orphan. */
  readonly looseTriggers: Readonly<Record<string, readonly string[]>>;
}

/** One question about the flow of events. Pure; time in proportion to the size of the team. */
export type FlowRule = (topology: Topology, facts: FlowFacts) => readonly FlowFinding[];

/** Everything that can be said about the flow of events (decisions, section 2); in no particular order. */
export function validateTopology(topology: Topology, facts: FlowFacts = { looseTriggers: {} }): readonly FlowFinding[] {
  return FLOW_RULES.flatMap((rule) => rule(topology, facts));
}
