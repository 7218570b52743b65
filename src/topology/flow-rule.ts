import type { FlowFinding } from '../core/index.ts';
import type { Topology } from './topology.ts';

/** What a rule may know beside the topology. */
export interface FlowFacts {
  /** Topics as they were probably meant where a trigger could not be read, by hat: what they would take is no orphan. */
  readonly looseTriggers: Readonly<Record<string, readonly string[]>>;
}

/** One question about the flow of events. Pure; time in proportion to the size of the team. */
export type FlowRule = (topology: Topology, facts: FlowFacts) => readonly FlowFinding[];
