import {
  type Diagnostic,
  hasErrors,
  type LoadedConfig,
  type LoadRequest,
  loadConfig,
  type Settings,
  sortDiagnostics,
} from '../config/index.ts';
import { type FlowFinding, RALPH } from '../core/index.ts';
import { type Coordination, compileTopology, type Topology, validateTopology } from '../topology/index.ts';
import { type AgentLook, findUnserved, toUnservedFix, toUnservedText } from './find-missing-agents.ts';

/** What a configuration is loaded from, and whether a run is to follow. */
export interface CheckRequest extends LoadRequest {
  /** `optional` for commands that look at a configuration without running it. Default: `required`. */
  readonly prompt?: 'required' | 'optional';
  /** Says of agents whether they are on this machine; absent: nobody looks, for a configuration is right or wrong wherever it is read. */
  readonly agents?: AgentLook;
}

/** A configuration with every finding about it. */
export interface CheckedConfig {
  readonly files: readonly string[];
  /** `null` if and only if one of the diagnostics is an error. */
  readonly settings: Settings | null;
  /** The topology without what is wrong in it; `null` where a file is no YAML at all. */
  readonly topology: Topology | null;
  readonly coordination: Coordination | null;
  /** All of them, sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The change to a file that a repair of a finding asks for. */
  readonly planEdit: LoadedConfig['planEdit'];
  /** Every setting in force with where it came from; only where `settings` is not `null`. */
  readonly listEffective: LoadedConfig['listEffective'];
}

/**
 * Loads a configuration, compiles its topology and checks both. With `strict_validation: false` errors about the flow of events are warnings.
 *
 * @throws RalphError (exit code 2) as `loadConfig` does, and, when there is no error and a prompt is required, for a missing one
 */
export function checkConfig(request: CheckRequest): CheckedConfig {
  const loaded = loadConfig(request);
  const { draft, files, planEdit, listEffective } = loaded;
  if (draft === null)
    return { files, settings: null, topology: null, coordination: null, diagnostics: loaded.diagnostics, planEdit, listEffective };
  const topology = compileTopology(draft.spec);
  const findings = validateTopology(topology, { looseTriggers: loaded.looseTriggers });
  const placed = findings.map((finding) => {
    const diagnostic = loaded.toDiagnostic(finding);
    return finding.severity === 'error' && !draft.strictValidation ? { ...diagnostic, severity: 'warning' as const } : diagnostic;
  });
  const missing = request.agents === undefined ? [] : findMissing(draft, topology, request.cwd, request.agents);
  const diagnostics = sortDiagnostics([...loaded.diagnostics, ...placed, ...missing.map(loaded.toDiagnostic)]);
  const isValid = !hasErrors(diagnostics);
  const settings = isValid && request.prompt !== 'optional' ? withObjective(draft, loaded.requirePrompt()) : draft;
  return {
    files,
    settings: isValid ? settings : null,
    topology,
    coordination: topology.coordination,
    diagnostics,
    planEdit,
    listEffective,
  };
}

/** One finding for each who has no agent here; the runs of this machine are refused for it. */
function findMissing(settings: Settings, { coordination }: Topology, cwd: string, look: AgentLook): readonly FlowFinding[] {
  return findUnserved(settings, coordination, cwd, look).map((entry) => ({
    code: 'agent-missing',
    severity: 'warning',
    message: toUnservedText(entry),
    why: 'A run on this machine is refused before its first turn.',
    fix: toUnservedFix([entry], look.listPresent()),
    ...toSubject(entry.hats.filter((hat) => hat !== RALPH)),
  }));
}

function toSubject(hats: readonly string[]): Pick<FlowFinding, 'hats' | 'at'> {
  const [first] = hats;
  return first === undefined ? { at: { kind: 'hats' } } : { hats, at: { kind: 'hat', hat: first } };
}

function withObjective(settings: Settings, objective: { readonly source: Settings['objective'] }): Settings {
  return { ...settings, objective: objective.source };
}
