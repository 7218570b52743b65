import { resolve } from 'node:path';
import type { Command } from 'commander';
import { renderDiagnostics } from '../../config/findings/diagnostics.ts';
import { findGuidePage } from '../../config/layers/package-files.ts';
import { readTextFile } from '../../config/layers/read-text-file.ts';
import { parseYamlText } from '../../config/yaml/parse-yaml.ts';
import { createSimulation, type Simulation, traceRun } from '../../simulate/simulate.ts';
import type { SimulateOptions, SimulationReport, SimulationScript } from '../../simulate/simulation-types.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { parseCount, parseUsd } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { createConfigInvalid } from '../team/load-team.ts';
import { printSimulation, printTrace } from '../team/print-simulation.ts';
import { isColoured, printJson } from '../terminal/terminal.ts';

export const simulateCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command.argument('[file]', 'a configuration instead of ralph.yml');
  addConfigOptions(command);
  command
    .option('--runs <n>', 'how many runs to simulate (1000)')
    .option('--seed <n>', 'the random seed: the same seed simulates the same runs (1)')
    .option('--silent <share>', 'share of turns that write nothing (0.05)')
    .option('--failure <share>', 'share of turns that fail (0.05)')
    .option('--gate-failure <share>', 'share of gate verdicts that are failures (0.2)')
    .option('--script <file>', 'a YAML file that says what hats do, instead of chance')
    .option('--constant-payloads', 'use the same payload in every event, so that loop detection can strike')
    .option('--turn-seconds <n>', 'how long a turn takes, for max_runtime_seconds (60)')
    .option('--turn-cost <usd>', 'what a turn costs, for max_cost_usd (unknown)')
    .option('--trace <run>', 'show this one run turn by turn instead');
  addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
  addExamples(command, [
    ['ralph simulate', 'simulate the team of ralph.yml a thousand times: does it ever get stuck?'],
    ['ralph simulate --hats preset:tdd', 'the same for a preset'],
    ['ralph simulate --silent 0.2 --failure 0.2', 'with poor agents'],
    ['ralph simulate -c event_loop.max_iterations=20', 'would twenty iterations be enough?'],
    ['ralph simulate --trace 17', 'what happened in run 17'],
    ['ralph simulate --script clumsy-builder.yml', 'with a hat that follows a script'],
    ['ralph simulate --format json | jq .completed.share', 'for programs'],
  ]);
}

async function perform(context: CliContext, { args, options }: CommandCall): Promise<number> {
  const { terminal } = context;
  const flags = options as SimulateFlags & ConfigOptions;
  const simulated = readSimulateOptions(context.cwd, flags);
  const topology = loadTopology(context, args[0], flags);
  if (flags.trace !== undefined) return trace(context, topology, { run: parseCount(flags.trace, '--trace', 1), simulated, flags });
  const simulation = createSimulation(topology, simulated);
  const signal = await simulateInterruptibly(context, simulation);
  const report = simulation.report();
  if (flags.format === 'json') printJson(terminal, { v: 1, ...report });
  else printSimulation(terminal, report);
  return toExitCode(report, signal);
}

function toExitCode(report: SimulationReport, signal: 'SIGINT' | 'SIGTERM' | null): number {
  if (signal !== null) return signal === 'SIGINT' ? 130 : 143;
  return report.canComplete ? 0 : 1;
}

/** The team of the configuration; what is to be said about it goes to standard error, errors end the command. */
function loadTopology(context: CliContext, file: string | undefined, flags: ConfigOptions): Topology {
  const { terminal } = context;
  const files = file === undefined ? {} : { config: [file, ...(flags.config ?? [])] };
  const { topology, settings, diagnostics } = checkConfig({ ...toConfigRequest(context, { ...flags, ...files }), prompt: 'optional' });
  if (topology === null || settings === null) {
    throw createConfigInvalid(diagnostics);
  }
  const color = isColoured(terminal.errStyle);
  const shown = diagnostics.filter((diagnostic) => diagnostic.severity !== 'note');
  if (shown.length > 0) terminal.err(`${renderDiagnostics(shown, { color })}\n\n`);
  return topology;
}

interface RunTraceRequest {
  readonly run: number;
  readonly simulated: SimulateOptions;
  readonly flags: SimulateFlags;
}

function trace({ terminal }: CliContext, topology: Topology, { run, simulated, flags }: RunTraceRequest): number {
  const traced = traceRun(topology, run, simulated);
  if (flags.format === 'json') printJson(terminal, { v: 1, ...traced });
  else printTrace(terminal, traced, topology.coordination);
  return traced.reason === 'completed' ? 0 : 1;
}

interface SimulateFlags {
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
 * How the runs are to be simulated.
 *
 * @throws RalphError (exit code 2) for a value or a file that cannot be read
 */
function readSimulateOptions(cwd: string, flags: SimulateFlags): SimulateOptions {
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

type StopSignal = 'SIGINT' | 'SIGTERM';

/** How long it simulates between two looks at the signals. */
const SLICE_MS = 50;
/** A look at the clock costs as much as a turn. */
const RUNS_A_LOOK = 20;
/** From then on a person wants to know how far it is. */
const PATIENCE_MS = 1000;

/**
 * Simulates all runs. On a terminal it tells how far it is once that takes long; a signal ends it early.
 *
 * @returns the signal that ended it early, or `null`
 */
async function simulateInterruptibly({ terminal, signals, now }: CliContext, simulation: Simulation): Promise<StopSignal | null> {
  let stop: StopSignal | null = null;
  const listeners = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const listen = (): void => {
      stop = name;
    };
    signals.on(name, listen);
    return { name, listen };
  });
  const startedAt = now();
  let isShown = false;
  try {
    while (stop === null && simulateSlice(simulation, now)) {
      if (terminal.isTty && now() - startedAt > PATIENCE_MS) {
        isShown = true;
        terminal.err(`\r${simulation.done()} of ${simulation.runs} runs`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    if (isShown) terminal.err('\r\u001b[K');
    for (const { name, listen } of listeners) signals.off(name, listen);
  }
  return stop;
}

/** False when no run is left. */
function simulateSlice(simulation: Simulation, now: () => number): boolean {
  const until = now() + SLICE_MS;
  do {
    for (let count = 0; count < RUNS_A_LOOK; count += 1) if (!simulation.runNext()) return false;
  } while (now() < until);
  return true;
}
