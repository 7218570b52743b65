import type { RunSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { createFlowFacts } from './validate-topology.ts';

/** What one rule says of a team. */
export function askRule(rule: FlowRule, spec: RunSpec): readonly FlowFinding[] {
  const topology = compileTopology(spec);
  return rule(topology, createFlowFacts(topology));
}
