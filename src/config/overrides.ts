import { RalphError } from '../core/index.ts';
import { BACKEND_NAME } from './backend-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { toExpectation } from './expectation.ts';
import { toLeafSchema } from './leaf-schema.ts';
import { toLeafValue } from './leaf-value.ts';
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

/** The variables that are read as configuration. Empty ones count as not set. */
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

/**
 * Reads what the command line and the environment set; the command line wins.
 *
 * @throws RalphError `flag-invalid` (exit code 2) for a value that its setting does not take.
 */
export function readOverrides(flags: ConfigFlags, env: Readonly<Record<string, string | undefined>>): Overrides {
  const overrides: Record<string, unknown> = {};
  for (const name of ['backend', 'model', 'maxIterations', 'maxCostUsd'] as const) {
    const flag = flags[name];
    const variable = env[CONFIG_VARIABLES[name]];
    if (flag !== undefined) overrides[name] = readValue(SETTINGS[name], flag, FLAG_NAMES[name]);
    else if (variable !== undefined && variable !== '') overrides[name] = readValue(SETTINGS[name], variable, CONFIG_VARIABLES[name]);
  }
  return overrides;
}

function readValue(setting: LeafSetting, value: string | number, name: string): unknown {
  if (toLeafSchema(setting).safeParse(value).success) return toLeafValue(setting, value);
  const shown = JSON.stringify(String(value).slice(0, 80));
  if (setting.kind === 'choice') {
    const { message, fix } = toChoiceFinding(setting, String(value), [name]);
    throw new RalphError({ code: 'flag-invalid', what: `${name}: ${message}`, fix, exitCode: 2 });
  }
  const what = `${name} ${shown} cannot be read.`;
  throw new RalphError({ code: 'flag-invalid', what, fix: `It must be ${toExpectation(setting)}.`, exitCode: 2 });
}
