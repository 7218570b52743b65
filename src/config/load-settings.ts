import { resolve } from 'node:path';
import { RalphError } from '../core/index.ts';
import { checkShape } from './check-shape.ts';
import { type CompiledBackends, compileBackends } from './compile-backends.ts';
import { compileObjective } from './compile-objective.ts';
import { compileSettings } from './compile-settings.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from './diagnostic.ts';
import { toEffective } from './effective.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { CONFIG_VARIABLES, type ConfigFlags, readOverrides } from './overrides.ts';
import { readConfigFiles } from './read-config-files.ts';
import { readInstructions } from './read-instructions.ts';
import { toBackendFinding } from './rules/check-backends.ts';
import { checkRules } from './rules/check-rules.ts';
import { listHatIds } from './rules/rule.ts';
import type { Settings } from './settings.ts';

/** What a configuration is loaded from. */
export interface LoadRequest {
  /** The folder of the run; names on the command line and `prompt_file` are relative to it. */
  readonly cwd: string;
  /** `-c FILE`, in order, later ones over earlier ones; empty or absent: `RALPH_CONFIG`, else the file that is found in the folder. */
  readonly configFiles?: readonly string[];
  readonly flags?: ConfigFlags;
  /** Only the variables of {@link CONFIG_VARIABLES} are read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What came by standard input, for `-P -`. */
  readonly stdinPrompt?: string;
  /** `optional` for commands that look at a configuration without running it. Default: `required`. */
  readonly prompt?: 'required' | 'optional';
}

/** A configuration, and everything that is to be said about it. */
export interface LoadedSettings {
  /** `null` if and only if one of the diagnostics is an error. */
  readonly settings: Settings | null;
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Loads the settings of a run. What is said in several places is taken from the first of: the command line, the environment
 * (`RALPH_CONFIG_BACKEND`, `RALPH_CONFIG_MODEL`, `RALPH_CONFIG_MAX_ITERATIONS`, `RALPH_CONFIG_MAX_COST_USD`), the configuration file (of
 * several `-c` the last), the defaults. The backend of the command line is `cli.backend`: a hat that names its own keeps it. The file itself is
 * the one that `-c` names, else `RALPH_CONFIG`, else `ralph.yml`, `ralph.yaml`, `.ralph/config.yml` of the folder, else none.
 *
 * @throws RalphError (exit code 2) for what is wrong outside the configuration file: a named file that is missing, a flag or variable
 * that cannot be read, and, when the file is in order, a missing prompt
 */
export function loadSettings(request: LoadRequest): LoadedSettings {
  const { flags = {}, env = {} } = request;
  const cwd = resolve(request.cwd);
  const overrides = readOverrides(flags, env);
  const files = readConfigFiles(cwd, toNamedFiles(request));
  if (files.root === null) return { settings: null, diagnostics: sortDiagnostics(files.diagnostics) };
  const shape = checkShape(files.root);
  const hatIds = listHatIds(files.root);
  const backends = compileBackends(shape.declared, overrides);
  const input = { root: files.root, declared: shape.declared, hatIds, isBroken: shape.isBroken, toItemPath: shape.toItemPath };
  const instructions = readInstructions(shape.declared, files.root);
  const found = [...files.diagnostics, ...shape.diagnostics, ...checkRules(input, backends), ...instructions.diagnostics];
  const diagnostics = sortDiagnostics(found);
  if (hasErrors(diagnostics)) return { settings: null, diagnostics };
  refuseNamedBackend(backends);
  const { prompt, prompt_file: promptFile } = toEffective(EVENT_LOOP_KEYS, shape.declared.event_loop);
  const stdin = request.stdinPrompt === undefined ? {} : { stdinPrompt: request.stdinPrompt };
  const objective = compileObjective({ cwd, flags, ...stdin, prompt, promptFile, isRequired: request.prompt !== 'optional' });
  const parts = { configFiles: files.names, flags, declared: shape.declared, hatIds, overrides, backends, instructions, objective };
  return { settings: compileSettings(parts), diagnostics };
}

function toNamedFiles({ configFiles = [], env = {} }: LoadRequest): readonly string[] {
  const variable = env[CONFIG_VARIABLES.file];
  return configFiles.length > 0 || variable === undefined || variable === '' ? configFiles : [variable];
}

/** A backend that the command line named has no place in a file: what is wrong with it is a wrong use. */
function refuseNamedBackend({ base }: CompiledBackends): void {
  for (const backend of base) {
    const finding = backend.path === null ? toBackendFinding(backend.declared) : null;
    if (finding?.severity !== 'error') continue;
    throw new RalphError({ code: 'flag-invalid', what: `--backend: ${finding.message}`, why: finding.why, fix: finding.fix, exitCode: 2 });
  }
}
