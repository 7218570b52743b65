import type { FlowRule } from '../validate-topology.ts';
import { checkEntry } from './check-entry.ts';

/** The rules, each a file of its own. */
export const FLOW_RULES: readonly FlowRule[] = [checkEntry];
