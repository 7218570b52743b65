import type { Finding, FlowFinding } from '../../core/schema/finding.ts';
import type { Environment } from '../../core/values/environment.ts';
import { RalphError } from '../../core/values/errors.ts';
import { createPseudoFile, type Diagnostic, type LocatedMap, type Path, type Place, readAt, toDiagnostic } from '../findings/located.ts';
import { BACKEND_NAME } from '../keys/backend-keys.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import type { LeafSetting } from '../keys/setting.ts';
import { acceptsLeaf, toLeafValue } from '../keys/setting-values.ts';
import { toChoiceFinding, toExpectation, toValueFinding } from '../keys/value-finding.ts';
import type { ConfigFlags, Overrides } from '../settings.ts';

/** Variables with a name of their own; `readVariableLayers` reads the others. An empty one counts as not set. */
export const CONFIG_VARIABLES = {
  file: 'RALPH_CONFIG',
  backend: 'RALPH_CONFIG_BACKEND',
  model: 'RALPH_CONFIG_MODEL',
  maxIterations: 'RALPH_CONFIG_MAX_ITERATIONS',
  maxCostUsd: 'RALPH_CONFIG_MAX_COST_USD',
  maxRuntime: 'RALPH_CONFIG_MAX_RUNTIME',
} as const;

const FLAG_NAMES = {
  backend: '--backend',
  model: '--model',
  maxIterations: '--max-iterations',
  maxCostUsd: '--max-cost',
  maxRuntime: '--max-runtime',
} as const;
const SETTINGS = {
  backend: BACKEND_NAME,
  model: { kind: 'word', doc: 'A model.' },
  maxIterations: EVENT_LOOP_KEYS.max_iterations,
  maxCostUsd: EVENT_LOOP_KEYS.max_cost_usd,
  maxRuntime: EVENT_LOOP_KEYS.max_runtime_seconds,
} as const satisfies Record<keyof typeof FLAG_NAMES, LeafSetting>;

/** Where the settings that have a flag stand in a configuration. */
export const OVERRIDE_PATHS = {
  backend: ['cli', 'backend'],
  model: ['cli', 'model'],
  maxIterations: ['event_loop', 'max_iterations'],
  maxCostUsd: ['event_loop', 'max_cost_usd'],
  maxRuntime: ['event_loop', 'max_runtime_seconds'],
} as const satisfies Record<keyof Overrides, Path>;

export interface OverrideRequest {
  readonly flags: ConfigFlags;
  readonly env: Environment;
  /** What `-c key.path=value` says: it wins over the environment. */
  readonly assigned?: LocatedMap;
}

/** What was given for a setting that has a flag, and the flag or variable that gave it; `null` where neither did. */
export function findOverride(
  name: keyof Overrides,
  { flags, env, assigned }: OverrideRequest,
): { readonly given: string | number; readonly from: string } | null {
  const flag = flags[name];
  if (flag !== undefined) return { given: flag, from: FLAG_NAMES[name] };
  const variable = env[CONFIG_VARIABLES[name]];
  if (variable === undefined || variable === '') return null;
  const isAssigned = assigned !== undefined && readAt(assigned, OVERRIDE_PATHS[name]) !== undefined;
  return isAssigned ? null : { given: variable, from: CONFIG_VARIABLES[name] };
}

/** {@link Overrides}, and what is wrong with variables: those are left out. */
export interface ReadOverrides {
  readonly overrides: Overrides;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads what the command line and the environment set; the command line wins. A wrong variable is a finding, as in a file.
 *
 * @throws RalphError `flag-invalid` (exit code 2) for a flag with a value that its setting does not take.
 */
export function readOverrides(request: OverrideRequest, cwd: string): ReadOverrides {
  const overrides: Record<string, unknown> = {};
  const diagnostics: Diagnostic[] = [];
  for (const name of ['backend', 'model', 'maxIterations', 'maxCostUsd', 'maxRuntime'] as const) {
    const found = findOverride(name, request);
    if (found === null) continue;
    const { given, from } = found;
    const setting: LeafSetting = SETTINGS[name];
    if (acceptsLeaf(setting, given)) overrides[name] = toLeafValue(setting, given);
    else if (isFlag(from)) throw createFlagError(setting, String(given), from);
    else diagnostics.push(toVariableDiagnostic(name, String(given), cwd));
  }
  return { overrides, diagnostics };
}

/** True for a flag as {@link findOverride} names it, false for a variable. */
export function isFlag(from: string): boolean {
  return from.startsWith('-');
}

/** A finding about a variable with a name of its own, at its value. */
export function placeAtVariable(name: keyof Overrides, given: string, cwd: string, finding: Finding): Diagnostic {
  return toDiagnostic(toVariablePlace(name, given, cwd), finding);
}

/** Puts a finding about the flow of events at the flag or variable that set the limit it is about; `null` where none did. */
export function placeAtOverride(
  { at, related: _, repairs: __, ...finding }: FlowFinding,
  request: OverrideRequest,
  cwd: string,
): Diagnostic | null {
  if (at.kind !== 'loop') return null;
  for (const name of ['maxIterations', 'maxCostUsd', 'maxRuntime'] as const) {
    const found = OVERRIDE_PATHS[name][1] === at.key ? findOverride(name, request) : null;
    if (found === null) continue;
    const { given, from } = found;
    const start = isFlag(from) ? `${from} ` : `${from}=`;
    const file = createPseudoFile('flag', from, `${start}${given}`, cwd);
    const place = isFlag(from) ? { file, start: start.length, end: file.text.length } : toVariablePlace(name, String(given), cwd);
    return toDiagnostic(place, { ...finding, fix: finding.fix.replace(`event_loop:\n  ${at.key}: `, start) });
  }
  return null;
}

function toVariablePlace(name: keyof Overrides, given: string, cwd: string): Place {
  const variable = CONFIG_VARIABLES[name];
  const file = createPseudoFile('variable', variable, `${variable}=${given}`, cwd);
  return { file, start: variable.length + 1, end: file.text.length };
}

function toVariableDiagnostic(name: keyof Overrides, given: string, cwd: string): Diagnostic {
  const setting: LeafSetting = SETTINGS[name];
  const path = OVERRIDE_PATHS[name];
  const place = toVariablePlace(name, given, cwd);
  const { repairs: _, ...finding } =
    setting.kind === 'choice'
      ? toChoiceFinding(setting, given, path)
      : toValueFinding(setting, { kind: 'scalar', value: given, written: given, place }, path);
  return toDiagnostic(place, finding);
}

function createFlagError(setting: LeafSetting, given: string, flag: string): RalphError {
  if (setting.kind === 'choice') {
    const { message, fix } = toChoiceFinding(setting, given, [flag]);
    return new RalphError({ code: 'flag-invalid', what: `${flag}: ${message}`, fix, exitCode: 2 });
  }
  const what = `${flag} ${JSON.stringify(given.slice(0, 80))} cannot be read.`;
  return new RalphError({ code: 'flag-invalid', what, fix: `It must be ${toExpectation(setting)}.`, exitCode: 2 });
}
