import { RalphError } from '../core/index.ts';
import { acceptsLeaf } from './accept-leaf.ts';
import { BACKEND_NAME } from './backend-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { toExpectation } from './expectation.ts';
import { toLeafValue } from './leaf-value.ts';
import { type LocatedMap, type Path, readAt } from './located-value.ts';
import type { LeafSetting } from './setting.ts';
import { toChoiceFinding } from './value-finding.ts';

/** What was said on the command line, as it was written there. */
export interface ConfigFlags {
  /** `-p TEXT`, or the words after `run`. */
  readonly prompt?: string;
  /** `-P FILE`; `-` for standard input. */
  readonly promptFile?: string;
  /** `-b NAME`. */
  readonly backend?: string;
  /** `--model NAME`. */
  readonly model?: string;
  /** `--max-iterations N`. */
  readonly maxIterations?: string | number;
  /** `--max-cost USD`. */
  readonly maxCostUsd?: string | number;
}

/** Settings from the command line and the environment, checked. */
export interface Overrides {
  readonly backend?: (typeof BACKEND_NAME.values)[number];
  readonly model?: string;
  readonly maxIterations?: number;
  readonly maxCostUsd?: number;
}

/** The variables that have a name of their own; see `readVariableLayers` for the others. Empty ones count as not set. */
export const CONFIG_VARIABLES = {
  file: 'RALPH_CONFIG',
  backend: 'RALPH_CONFIG_BACKEND',
  model: 'RALPH_CONFIG_MODEL',
  maxIterations: 'RALPH_CONFIG_MAX_ITERATIONS',
  maxCostUsd: 'RALPH_CONFIG_MAX_COST_USD',
} as const;

const FLAG_NAMES = { backend: '--backend', model: '--model', maxIterations: '--max-iterations', maxCostUsd: '--max-cost' } as const;
const SETTINGS = {
  backend: BACKEND_NAME,
  model: { kind: 'word', doc: 'A model.' },
  maxIterations: EVENT_LOOP_KEYS.max_iterations,
  maxCostUsd: EVENT_LOOP_KEYS.max_cost_usd,
} as const satisfies Record<keyof typeof FLAG_NAMES, LeafSetting>;

/** Where the settings that have a flag stand in a configuration. */
export const OVERRIDE_PATHS = {
  backend: ['cli', 'backend'],
  model: ['cli', 'model'],
  maxIterations: ['event_loop', 'max_iterations'],
  maxCostUsd: ['event_loop', 'max_cost_usd'],
} as const satisfies Record<keyof Overrides, Path>;

/** Where overrides are found. */
export interface OverrideRequest {
  readonly flags: ConfigFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
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

/**
 * Reads what the command line and the environment set; the command line wins.
 *
 * @throws RalphError `flag-invalid` (exit code 2) for a value that its setting does not take.
 */
export function readOverrides(request: OverrideRequest): Overrides {
  const overrides: Record<string, unknown> = {};
  for (const name of ['backend', 'model', 'maxIterations', 'maxCostUsd'] as const) {
    const found = findOverride(name, request);
    if (found !== null) overrides[name] = readValue(SETTINGS[name], found.given, found.from);
  }
  return overrides;
}

function readValue(setting: LeafSetting, value: string | number, name: string): unknown {
  if (acceptsLeaf(setting, value)) return toLeafValue(setting, value);
  const shown = JSON.stringify(String(value).slice(0, 80));
  if (setting.kind === 'choice') {
    const { message, fix } = toChoiceFinding(setting, String(value), [name]);
    throw new RalphError({ code: 'flag-invalid', what: `${name}: ${message}`, fix, exitCode: 2 });
  }
  const what = `${name} ${shown} cannot be read.`;
  throw new RalphError({ code: 'flag-invalid', what, fix: `It must be ${toExpectation(setting)}.`, exitCode: 2 });
}
