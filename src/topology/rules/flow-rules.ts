import type { FlowRule } from '../flow-rule.ts';
import { checkAmbiguity } from './check-ambiguity.ts';
import { checkAwaitedEvents } from './check-awaited-events.ts';
import { checkBlockedEvents } from './check-blocked-events.ts';
import { checkCatchAlls } from './check-catch-alls.ts';
import { checkDefaultCircles } from './check-default-circles.ts';
import { checkEntry } from './check-entry.ts';
import { checkEventContracts } from './check-event-contracts.ts';
import { checkExit } from './check-exit.ts';
import { checkGateTopics } from './check-gate-topics.ts';
import { checkInstructionCommands } from './check-instruction-commands.ts';
import { checkInstructionTopics } from './check-instruction-topics.ts';
import { checkNearMisses } from './check-near-misses.ts';
import { checkOrphans } from './check-orphans.ts';
import { checkPromiseOrders } from './check-promise-orders.ts';
import { checkReach } from './check-reach.ts';
import { checkRecovery } from './check-recovery.ts';
import { checkSameInstructions } from './check-same-instructions.ts';
import { checkWays } from './check-ways.ts';
import { checkWaysOn } from './check-ways-on.ts';

/** The rules, each a file of its own: those of seed 001 first. */
export const FLOW_RULES: readonly FlowRule[] = [
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
  checkWays,
  checkWaysOn,
];
