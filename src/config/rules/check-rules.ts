import type { CompiledBackends } from '../compile/compile-backends.ts';
import type { Diagnostic } from '../findings/located.ts';
import { checkAgentFiles } from './check-agent-files.ts';
import { checkBackends } from './check-backends.ts';
import { checkCostLimit } from './check-cost-limit.ts';
import { checkDefaultPublishes } from './check-default-publishes.ts';
import { checkEventLoop } from './check-event-loop.ts';
import { checkGateNames } from './check-gate-names.ts';
import { checkGateScripts } from './check-gate-scripts.ts';
import { checkGateTimeouts } from './check-gate-timeouts.ts';
import { checkHatCollection } from './check-hat-collection.ts';
import { checkHatIds } from './check-hat-ids.ts';
import { checkHatReferences } from './check-hat-references.ts';
import { checkMcpServers } from './check-mcp-servers.ts';
import { checkMode } from './check-mode.ts';
import { checkNativeProfiles } from './check-native-profiles.ts';
import { checkNotify } from './check-notify.ts';
import { checkPanelLimits } from './check-panel-limits.ts';
import { checkPanelRoles } from './check-panel-roles.ts';
import { checkPanels } from './check-panels.ts';
import { checkPolicies } from './check-policies.ts';
import { checkProfiles } from './check-profiles.ts';
import { checkPromptFile, type PromptSources } from './check-prompt-file.ts';
import { checkStateDir } from './check-state-dir.ts';
import { checkTools } from './check-tools.ts';
import { checkTriggers } from './check-triggers.ts';
import type { Rule, RuleInput } from './rule.ts';

const RULES: readonly Rule[] = [
  checkHatIds,
  checkHatCollection,
  checkTriggers,
  checkPanels,
  checkPanelRoles,
  checkDefaultPublishes,
  checkHatReferences,
  checkMode,
  checkEventLoop,
  checkStateDir,
  checkGateScripts,
  checkGateNames,
  checkGateTimeouts,
  checkProfiles,
  checkPolicies,
  checkMcpServers,
  checkTools,
  checkNotify,
];

/** Findings about the flow of events: with `strict_validation: false` only warnings. */
const FLOW_CODES = ['hats-empty', 'triggers-missing'];

/** Everything that is wrong with a configuration beyond single values. */
export function checkRules(input: RuleInput, backends: CompiledBackends, places: PromptSources): readonly Diagnostic[] {
  const findings = [
    ...RULES.flatMap((rule) => rule(input)),
    ...checkBackends(input, backends),
    ...checkCostLimit(input, backends),
    ...checkNativeProfiles(input, backends),
    ...checkAgentFiles(input, backends),
    ...checkPanelLimits(input, backends),
    ...checkPromptFile(input, places),
  ];
  if (input.declared.event_loop?.strict_validation !== false) return findings;
  return findings.map((finding) =>
    FLOW_CODES.includes(finding.code) && finding.severity === 'error' ? { ...finding, severity: 'warning' } : finding,
  );
}
