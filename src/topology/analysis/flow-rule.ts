import type { FlowFinding } from '../../core/schema/finding.ts';
import type { Topology } from '../routing/compile-topology.ts';
import type { HatGraph } from './hat-graph.ts';

/** One question about the flow of events. Pure; time in proportion to the size of the team. */
export type FlowRule = (topology: Topology, facts: FlowFacts) => readonly FlowFinding[];

/** What a rule may know beside the topology. What is asked for is computed once, for all rules. */
export interface FlowFacts {
  readonly looseTriggers: LooseTriggers;
  readonly orphans: () => Orphans;
  /** `null` where the team has too many ways to be looked at. */
  readonly hatGraph: () => HatGraph | null;
}

/** Topics as they were probably meant where a trigger could not be read, by hat: what they would take is no orphan. */
export type LooseTriggers = Readonly<Record<string, readonly string[]>>;

/** A topic or pattern that a hat publishes and nobody takes. */
export interface Orphan {
  readonly hat: string;
  readonly topic: string;
  readonly list: 'publishes' | 'default_publishes';
}

/** What was found, and whether everything was looked at. */
export interface Orphans {
  readonly orphans: readonly Orphan[];
  readonly isWhole: boolean;
}

/** Told instead of a wrong answer, or of one that takes an hour. */
export const UNCHECKED: FlowFinding = {
  code: 'flow-unchecked',
  severity: 'warning',
  at: { kind: 'hats' },
  message: 'The patterns of this team are too many to be all compared with each other.',
  why: 'Some of its events were not looked at: one may have no taker, or two.',
  fix: 'Write out topics instead of patterns that begin with `*`, or split the team.',
};
