import { resolve } from 'node:path';
import type { FlowFinding } from '../core/schema/finding.ts';
import type { Environment } from '../core/values/environment.ts';
import { compileBackends } from './compile/compile-backends.ts';
import { compileHooks } from './compile/compile-hooks.ts';
import { compileObjective } from './compile/compile-objective.ts';
import { compilePermissions } from './compile/compile-permissions.ts';
import { compileSettings } from './compile/compile-settings.ts';
import { listLooseTriggers } from './compile/guess-triggers.ts';
import { readEventContracts, readInstructions } from './compile/read-named-files.ts';
import { placeFlowFinding } from './edit/locate-subject.ts';
import { createEditPlanner, type EditPlanner } from './edit/plan-edit.ts';
import { type EffectiveValue, listEffective } from './effective/list-effective.ts';
import { overrideEffective } from './effective/override-effective.ts';
import { hasErrors, sortDiagnostics } from './findings/diagnostics.ts';
import type { Diagnostic, Path } from './findings/located.ts';
import { checkShape } from './keys/check-shape.ts';
import { placeAtOverride, readOverrides } from './layers/overrides.ts';
import { type Layers, readLayers } from './layers/read-layers.ts';
import { type ReadText, readTextFile } from './layers/read-text-file.ts';
import { checkVariableBackend, refuseNamedBackend } from './rules/check-backends.ts';
import { checkRules } from './rules/check-rules.ts';
import { listHatIds, listHats } from './rules/rule.ts';
import type { ConfigFlags, Objective, Settings } from './settings.ts';

export interface LoadRequest {
  /** The folder of the run; names on the command line and `prompt_file` are relative to it. */
  readonly cwd: string;
  /** `-c FILE`, in order, later ones over earlier ones; empty or absent: `RALPH_CONFIG`, else the file that is found in the folder. */
  readonly configFiles?: readonly string[];
  /** `--hats FILE` or `--hats preset:NAME`: a team in the place of the one of the configuration. */
  readonly hatsOverlay?: string;
  /** `-c key.path=value`, in order, as they were typed; over files and environment, under {@link flags}. */
  readonly assignments?: readonly string[];
  readonly flags?: ConfigFlags;
  /** Read are `RALPH_CONFIG` and `RALPH_CONFIG_…`, `XDG_CONFIG_HOME` and `HOME`, and what `${NAME}` in the configuration names. */
  readonly env?: Environment;
  /** What came by standard input, for `-P -`. */
  readonly stdinPrompt?: string;
  /** Names of tools that the calling program brings, so that profiles may name them. */
  readonly toolNames?: readonly string[];
  /** How configuration files, and the files that they name, are read; default: from the disk. */
  readonly readText?: ReadText;
}

/** A configuration as it was read, with everything that `config` alone can say about it. The flow of its events is not looked at here. */
export interface LoadedConfig {
  /** The files, as they are shown; empty where only defaults are in force. */
  readonly files: readonly string[];
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** The settings without what is wrong in them, so that the rest can be looked at; `null` where a file is no YAML at all. */
  readonly draft: Settings | null;
  /** Topics as they were probably meant where a trigger could not be read, by hat: what they would take is no orphan. */
  readonly looseTriggers: Readonly<Record<string, readonly string[]>>;
  /** The place of a finding about the flow of events. */
  readonly toDiagnostic: (finding: FlowFinding) => Diagnostic;
  /** The change to a file that a repair of a finding asks for. */
  readonly planEdit: EditPlanner;
  /** Every setting in force with where it came from, in the order of the settings table; only where there is no error. */
  readonly listEffective: () => readonly EffectiveValue[];
  /** The objective that a run needs; throws RalphError `prompt-missing` and so on (exit code 2) where there is none. */
  readonly requirePrompt: () => Objective;
}

/**
 * Loads a configuration. What is said in several places is taken from the first of: flags, assignments (`-c key.path=value`, of several the last),
 * variables (`RALPH_CONFIG_…`), the overlay of `--hats`, the configuration file (of several the last), the user's own file, the defaults. The backend
 * of the command line is `cli.backend`: a hat that names its own keeps it. The configuration file is the one that `-c` names, else `RALPH_CONFIG`,
 * else `ralph.yml`, `ralph.yaml`, `.ralph/config.yml` of the folder, else none.
 *
 * @throws RalphError (exit code 2) for what is wrong with the call: a named file that is missing, a flag that cannot be read
 */
export function readConfig(request: LoadRequest): LoadedConfig {
  const { flags = {}, env = {}, configFiles = [], assignments = [], hatsOverlay, stdinPrompt, readText = readTextFile } = request;
  const cwd = resolve(request.cwd);
  const layers = readLayers({ cwd, env, readText, configFiles, hatsOverlay, assignments });
  const overrideRequest = { flags, env, assigned: layers.assigned };
  const overridden = readOverrides(overrideRequest, cwd);
  const { root } = layers;
  if (root === null) return toUnreadable(layers, overridden.diagnostics);

  const { declared, ...shape } = checkShape(root);
  const isBroken = (path: Path): boolean => shape.isBroken(path) || layers.isBroken(path);
  const hatIds = listHatIds(root);
  const backends = compileBackends(declared, overridden.overrides, shape.toItemPath);
  const instructions = readInstructions(declared, root, readText);
  const events = readEventContracts(declared, { cwd, root, readText });
  const ruleInput = { root, declared, hatIds, isBroken, toItemPath: shape.toItemPath, toolNames: request.toolNames ?? [] };
  const hooks = compileHooks({ ...ruleInput, backends, cwd, readText });
  const permissions = compilePermissions(ruleInput, backends);
  const found = [
    ...[layers, overridden].flatMap(({ diagnostics }) => diagnostics),
    ...checkVariableBackend(backends, overrideRequest, cwd),
    ...shape.diagnostics,
    ...checkRules(ruleInput, backends, { cwd, flags }),
    ...[instructions, events, hooks, permissions].flatMap(({ diagnostics }) => diagnostics),
  ];
  if (!hasErrors(found)) refuseNamedBackend(backends);
  const objectiveRequest = { cwd, flags, stdinPrompt, loop: declared.event_loop };
  const draft = compileSettings({
    ...{ cwd, flags, hatsOverlay, assignments },
    configFiles: layers.configFiles,
    variables: layers.variables,
    declared,
    hatIds,
    overrides: overridden.overrides,
    backends,
    instructions,
    events: events.contracts,
    hooks,
    ...permissions,
    objective: compileObjective(objectiveRequest, 'optional'),
  });
  return {
    files: layers.names,
    diagnostics: sortDiagnostics(found),
    draft,
    looseTriggers: listLooseTriggers(listHats(ruleInput), ruleInput),
    toDiagnostic: (finding) => placeAtOverride(finding, overrideRequest, cwd) ?? placeFlowFinding(root, finding),
    planEdit: createEditPlanner(root),
    listEffective: () =>
      overrideEffective(listEffective(root, cwd), {
        ...overrideRequest,
        overrides: overridden.overrides,
        base: backends.base,
        stdinPrompt,
      }),
    requirePrompt: () => compileObjective(objectiveRequest, 'required'),
  };
}

function toUnreadable({ names, diagnostics }: Layers, others: readonly Diagnostic[]): LoadedConfig {
  const fail = (): never => {
    throw new Error('a configuration without contents was asked for them');
  };
  return {
    files: names,
    diagnostics: sortDiagnostics([...diagnostics, ...others]),
    draft: null,
    looseTriggers: {},
    toDiagnostic: fail,
    planEdit: () => null,
    listEffective: fail,
    requirePrompt: fail,
  };
}
