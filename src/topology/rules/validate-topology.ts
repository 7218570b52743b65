import type { FlowFinding } from '../../core/schema/finding.ts';
import { createHatGraph } from '../analysis/create-hat-graph.ts';
import { findOrphans } from '../analysis/find-orphans.ts';
import type { FlowFacts, FlowRule, LooseTriggers } from '../analysis/flow-rule.ts';
import type { Topology } from '../routing/compile-topology.ts';
import { checkAmbiguity } from './check-ambiguity.ts';
import { checkAwaitedEvents } from './check-awaited-events.ts';
import { checkBlockedEvents } from './check-blocked-events.ts';
import { checkCatchAlls } from './check-catch-alls.ts';
import { checkDefaultCircles } from './check-default-circles.ts';
import { checkEndlessCycles } from './check-endless-cycles.ts';
import { checkEntry } from './check-entry.ts';
import { checkEventContracts } from './check-event-contracts.ts';
import { checkExit } from './check-exit.ts';
import { checkFailureHats } from './check-failure-hats.ts';
import { checkGateTopics } from './check-gate-topics.ts';
import { checkInstructionCommands } from './check-instruction-commands.ts';
import { checkInstructionTopics } from './check-instruction-topics.ts';
import { checkNearMisses } from './check-near-misses.ts';
import { checkOrphans } from './check-orphans.ts';
import { checkPromiseOrders } from './check-promise-orders.ts';
import { checkReach } from './check-reach.ts';
import { checkRecovery } from './check-recovery.ts';
import { checkSameInstructions } from './check-same-instructions.ts';
import { checkShortestRun } from './check-shortest-run.ts';
import { checkWaysOn } from './check-ways-on.ts';

/** Everything that can be said about the flow of events; in no particular order. */
export function validateTopology(
  topology: Topology,
  given: Pick<FlowFacts, 'looseTriggers'> = { looseTriggers: {} },
): readonly FlowFinding[] {
  const facts = createFlowFacts(topology, given.looseTriggers);
  return FLOW_RULES.flatMap((rule) => rule(topology, facts));
}

/** The rules, each a file of its own: those about the whole flow first. */
const FLOW_RULES: readonly FlowRule[] = [
  checkEntry,
  checkAmbiguity,
  checkOrphans,
  checkReach,
  checkRecovery,
  checkExit,
  checkNearMisses,
  checkAwaitedEvents,
  checkBlockedEvents,
  checkCatchAlls,
  checkDefaultCircles,
  checkEventContracts,
  checkGateTopics,
  checkInstructionCommands,
  checkInstructionTopics,
  checkPromiseOrders,
  checkSameInstructions,
  checkEndlessCycles,
  checkFailureHats,
  checkShortestRun,
  checkWaysOn,
];

/** What the rules share. */
export function createFlowFacts(topology: Topology, looseTriggers: LooseTriggers = {}): FlowFacts {
  return {
    looseTriggers,
    orphans: once(() => findOrphans(topology, looseTriggers)),
    hatGraph: once(() => createHatGraph(topology)),
  };
}

function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
