import { resolve } from 'node:path';
import { type Finding, type FlowFinding, RalphError } from '../core/index.ts';
import { compileBackends } from './compile/compile-backends.ts';
import { compileObjective } from './compile/compile-objective.ts';
import { compileSettings } from './compile/compile-settings.ts';
import { guessTriggers, readLooseTriggers } from './compile/guess-triggers.ts';
import type { CompiledBackends } from './compile/placed-backend.ts';
import { readEventContracts, readInstructions } from './compile/read-named-files.ts';
import { toPlacedFinding } from './edit/locate-subject.ts';
import { createEditPlanner, type EditPlanner } from './edit/plan-edit.ts';
import type { EffectiveValue } from './effective/list-effective.ts';
import { listEffective } from './effective/list-effective.ts';
import { overrideEffective } from './effective/override-effective.ts';
import { hasErrors, sortDiagnostics } from './findings/diagnostics.ts';
import type { Diagnostic, Path } from './findings/located.ts';
import { checkShape } from './keys/check-shape.ts';
import { EVENT_LOOP_KEYS } from './keys/event-loop-keys.ts';
import { toEffective } from './keys/setting-values.ts';
import {
  CONFIG_VARIABLES,
  findOverride,
  isFlag,
  type OverrideRequest,
  readOverrides,
  toOverridePlaced,
  toVariablePlaced,
} from './layers/overrides.ts';
import { expandShortForms, type Layers, readLayers } from './layers/read-layers.ts';
import { type ReadText, readTextFile } from './layers/read-text-file.ts';
import { toBackendFinding } from './rules/check-backends.ts';
import { checkPromptFile } from './rules/check-prompt-file.ts';
import { checkRules } from './rules/check-rules.ts';
import { listHatIds, listHats, type RuleInput } from './rules/rule.ts';
import type { ConfigFlags, Objective, Settings } from './settings.ts';

/** What a configuration is loaded from. */
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
  readonly env?: Readonly<Record<string, string | undefined>>;
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
export function loadConfig(request: LoadRequest): LoadedConfig {
  const { flags = {}, env = {} } = request;
  const cwd = resolve(request.cwd);
  const layers = readAllLayers(cwd, request);
  const overrideRequest = { flags, env, assigned: layers.assigned };
  const { overrides, diagnostics } = readOverrides(overrideRequest, cwd);
  if (layers.root === null) return toUnreadable(layers, diagnostics);
  const root = expandShortForms(layers.root);
  const shape = checkShape(root);
  const isBroken = (path: Path): boolean => shape.isBroken(path) || layers.isBroken(path);
  const hatIds = listHatIds(root);
  const backends = compileBackends(shape.declared, overrides);
  const input = { root, declared: shape.declared, hatIds, isBroken, toItemPath: shape.toItemPath, toolNames: request.toolNames ?? [] };
  const instructions = readInstructions(shape.declared, root, request.readText);
  const events = readEventContracts(shape.declared, { cwd, root, readText: request.readText });
  const found = [
    ...layers.diagnostics,
    ...diagnostics,
    ...checkVariableBackend(backends, overrideRequest, cwd),
    ...shape.diagnostics,
    ...checkRules(input, backends),
    ...checkPromptFile(input, { cwd, flags }),
    ...instructions.diagnostics,
    ...events.diagnostics,
  ];
  if (!hasErrors(found)) refuseNamedBackend(backends);
  const { prompt, prompt_file: promptFile } = toEffective(EVENT_LOOP_KEYS, shape.declared.event_loop);
  const stdin = request.stdinPrompt === undefined ? {} : { stdinPrompt: request.stdinPrompt };
  const objectiveRequest = { cwd, flags, ...stdin, prompt, promptFile };
  const objective = compileObjective({ ...objectiveRequest, isRequired: false });
  return {
    files: layers.names,
    diagnostics: sortDiagnostics(found),
    draft: compileSettings({
      configFiles: layers.configFiles,
      flags,
      hatsOverlay: request.hatsOverlay,
      assignments: request.assignments ?? [],
      variables: layers.variables,
      declared: shape.declared,
      hatIds,
      overrides,
      backends,
      instructions,
      events: events.contracts,
      objective,
    }),
    looseTriggers: { ...listGuesses(input), ...readLooseTriggers(root, isBroken) },
    toDiagnostic: (finding) => toOverridePlaced(finding, overrideRequest, cwd) ?? toPlacedFinding(root, finding),
    planEdit: createEditPlanner(root),
    listEffective: () =>
      overrideEffective(listEffective(root, cwd), { ...overrideRequest, overrides, base: backends.base, stdinPrompt: request.stdinPrompt }),
    requirePrompt: () => compileObjective({ ...objectiveRequest, isRequired: true }),
  };
}

/** A hat without triggers has a finding of its own: what it was probably to take is no orphan. */
function listGuesses(input: RuleInput): Readonly<Record<string, readonly string[]>> {
  const guesses = guessTriggers(listHats(input), input.declared.event_loop);
  return Object.fromEntries([...guesses].map(([id, { topic }]) => [id, [topic]]));
}

function readAllLayers(cwd: string, request: LoadRequest): Layers {
  const { env = {}, hatsOverlay, assignments = [], readText = readTextFile } = request;
  return readLayers({ cwd, env, readText, configFiles: toNamedFiles(request), hatsOverlay, assignments });
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

function toNamedFiles({ configFiles = [], env = {} }: LoadRequest): readonly string[] {
  const variable = env[CONFIG_VARIABLES.file];
  return configFiles.length > 0 || variable === undefined || variable === '' ? configFiles : [variable];
}

/** A backend that the command line named has no place in a file: what is wrong with it is a wrong use. */
function refuseNamedBackend({ base }: CompiledBackends): void {
  for (const finding of listNamedFindings(base)) {
    if (finding.severity !== 'error') continue;
    throw new RalphError({ code: 'flag-invalid', what: `--backend: ${finding.message}`, why: finding.why, fix: finding.fix, exitCode: 2 });
  }
}

/** One that a variable named has: the variable. */
function checkVariableBackend({ base }: CompiledBackends, request: OverrideRequest, cwd: string): readonly Diagnostic[] {
  const found = findOverride('backend', request);
  if (found === null || isFlag(found.from)) return [];
  return listNamedFindings(base).map((finding) => toVariablePlaced('backend', String(found.given), cwd, finding));
}

function listNamedFindings(base: CompiledBackends['base']): readonly Finding[] {
  return base
    .filter(({ path }) => path === null)
    .map(({ declared }) => toBackendFinding(declared))
    .filter((finding) => finding !== null);
}
