import { RalphError } from '../core/index.ts';
import type { SimulationScript } from './simulation-script.ts';

/** How a topology is played. Shares are between 0 and 1. */
export interface SimulateOptions {
  /** How many runs; default 1,000, at most 1,000,000. */
  readonly runs?: number;
  /** A whole number; the same seed plays the same runs. Default 1. */
  readonly seed?: number;
  /** Share of turns that write nothing. Default 0.05. */
  readonly silent?: number;
  /** Share of turns that fail, half of them by their time limit. Default 0.05. */
  readonly failure?: number;
  /** Share of the gates' verdicts that are a refusal. Default 0.2. */
  readonly gateFailure?: number;
  /** What hats do instead of choosing by chance. */
  readonly script?: SimulationScript;
  /** Give every event the same payload, so that loop detection can strike; by default each is different. */
  readonly constantPayloads?: boolean;
  /** How long a turn takes, for `max_runtime_seconds`; at most the hat's own time limit. Default: a minute. */
  readonly turnMs?: number;
  /** What a turn costs, for `max_cost_usd`; default `null`: unknown, so that this limit is never met. */
  readonly turnCostUsd?: number | null;
}

/** The options, complete. */
export interface SimulationSettings {
  readonly runs: number;
  readonly seed: number;
  readonly silent: number;
  readonly failure: number;
  readonly gateFailure: number;
  readonly constantPayloads: boolean;
  readonly turnMs: number;
  readonly turnCostUsd: number | null;
}

const DEFAULTS: SimulationSettings = {
  runs: 1000,
  seed: 1,
  silent: 0.05,
  failure: 0.05,
  gateFailure: 0.2,
  constantPayloads: false,
  turnMs: 60_000,
  turnCostUsd: null,
};

const MAX_RUNS = 1_000_000;

/**
 * Fills in the defaults.
 *
 * @throws RalphError `simulation-option` (exit code 2) for a value that cannot be
 */
export function toSimulationSettings(options: SimulateOptions): SimulationSettings {
  const { script: _, ...given } = options;
  const settings: SimulationSettings = { ...DEFAULTS, ...given };
  const { runs, seed, silent, failure, gateFailure, turnMs, turnCostUsd } = settings;
  demand(Number.isSafeInteger(runs) && runs >= 1 && runs <= MAX_RUNS, 'runs', 'a whole number from 1 to 1,000,000');
  demand(Number.isSafeInteger(seed), 'seed', 'a whole number');
  for (const [name, share] of Object.entries({ silent, failure, 'gate failure': gateFailure }))
    demand(share >= 0 && share <= 1, name, 'a share from 0 to 1');
  demand(silent + failure <= 1, 'silent and failure', 'no more than 1 together');
  demand(Number.isFinite(turnMs) && turnMs >= 0, 'the time of a turn', 'a time from 0 on');
  demand(turnCostUsd === null || (Number.isFinite(turnCostUsd) && turnCostUsd >= 0), 'the cost of a turn', 'an amount from 0 on');
  return settings;
}

function demand(holds: boolean, name: string, what: string): void {
  if (holds) return;
  throw new RalphError({
    code: 'simulation-option',
    what: `The simulation cannot be played so: ${name} must be ${what}.`,
    fix: '`ralph simulate --help` has examples.',
    exitCode: 2,
  });
}
