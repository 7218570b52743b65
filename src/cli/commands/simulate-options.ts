import { resolve } from 'node:path';
import { findGuidePage, parseYamlText, readTextFile } from '../../config/index.ts';
import type { SimulateOptions, SimulationScript } from '../../simulate/index.ts';
import { parseCount, parseUsd } from '../parse-values.ts';
import { createUsageError } from '../usage-error.ts';

/** The options of `ralph simulate`, as they were typed. */
export interface SimulateFlags {
  readonly runs?: string;
  readonly seed?: string;
  readonly silent?: string;
  readonly failure?: string;
  readonly gateFailure?: string;
  readonly script?: string;
  readonly constantPayloads?: boolean;
  readonly turnSeconds?: string;
  readonly turnCost?: string;
  readonly trace?: string;
  readonly format?: string;
}

const MAX_SCRIPT_BYTES = 1_000_000;

/**
 * How the runs are to be played.
 *
 * @throws RalphError (exit code 2) for a value or a file that cannot be read
 */
export function readSimulateOptions(cwd: string, flags: SimulateFlags): SimulateOptions {
  const { runs, seed, silent, failure, gateFailure, script, turnSeconds, turnCost } = flags;
  return {
    ...(runs === undefined ? {} : { runs: parseCount(runs, '--runs', 1) }),
    ...(seed === undefined ? {} : { seed: parseCount(seed, '--seed', 0) }),
    ...(silent === undefined ? {} : { silent: parseShare(silent, '--silent') }),
    ...(failure === undefined ? {} : { failure: parseShare(failure, '--failure') }),
    ...(gateFailure === undefined ? {} : { gateFailure: parseShare(gateFailure, '--gate-failure') }),
    ...(script === undefined ? {} : { script: readScript(cwd, script) }),
    ...(turnSeconds === undefined ? {} : { turnMs: parseCount(turnSeconds, '--turn-seconds', 0) * 1000 }),
    ...(turnCost === undefined ? {} : { turnCostUsd: parseUsd(turnCost, '--turn-cost') }),
    constantPayloads: flags.constantPayloads === true,
  };
}

/** `0.2`, or `20%`. */
function parseShare(text: string, name: string): number {
  const match = /^(\d*\.?\d+)\s*(%?)$/.exec(text.trim());
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw createUsageError(
    `${name} ${JSON.stringify(text.slice(0, 40))} cannot be read.`,
    'It must be a share from 0 to 1, such as 0.2 or 20%.',
  );
}

/** What is in it is checked when the team is known. */
function readScript(cwd: string, name: string): SimulationScript {
  const file = readTextFile(resolve(cwd, name), MAX_SCRIPT_BYTES, 'any');
  if (file.ok) return parseYamlText(file.value, name) as unknown as SimulationScript;
  throw createUsageError(
    `--script ${JSON.stringify(name.slice(0, 200))} cannot be used: ${file.refused.message}.`,
    `Name a YAML file. What is in it: ${findGuidePage('simulate')}`,
  );
}
