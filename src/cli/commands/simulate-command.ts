import type { Command } from 'commander';
import { renderDiagnostics } from '../../config/index.ts';
import { RalphError } from '../../core/index.ts';
import { createSimulation, type SimulateOptions, type SimulationReport, traceRun } from '../../simulate/index.ts';
import type { Topology } from '../../topology/index.ts';
import { checkConfig } from '../../validation/index.ts';
import { addExamples, type CliCommand, type CommandCall } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { addConfigOptions, type ConfigOptions, toConfigRequest } from '../config-options.ts';
import { addFormatOption } from '../format-option.ts';
import { parseCount } from '../parse-values.ts';
import { printJson } from '../terminal.ts';
import { playInterruptibly } from './simulate-live.ts';
import { readSimulateOptions, type SimulateFlags } from './simulate-options.ts';
import { printReport, printTrace } from './simulate-text.ts';

/** `ralph simulate`. */
export const simulateCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command.argument('[file]', 'a configuration instead of ralph.yml');
  addConfigOptions(command);
  command
    .option('--runs <n>', 'how many runs to play (1000)')
    .option('--seed <n>', 'another seed plays other runs, the same one the same (1)')
    .option('--silent <share>', 'share of turns that write nothing (0.05)')
    .option('--failure <share>', 'share of turns that fail (0.05)')
    .option('--gate-failure <share>', 'share of the verdicts of gates that are a refusal (0.2)')
    .option('--script <file>', 'what hats do instead of choosing by chance, in YAML')
    .option('--constant-payloads', 'the same payload in every event, so that loop detection can strike')
    .option('--turn-seconds <n>', 'how long a turn takes, for max_runtime_seconds (60)')
    .option('--turn-cost <usd>', 'what a turn costs, for max_cost_usd (unknown)')
    .option('--trace <run>', 'show this one run turn by turn instead');
  addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
  addExamples(command, [
    ['ralph simulate', 'play the team of ralph.yml a thousand times: does it ever get stuck?'],
    ['ralph simulate --hats preset:tdd', 'the same for a preset'],
    ['ralph simulate --silent 0.2 --failure 0.2', 'with poor agents'],
    ['ralph simulate -c event_loop.max_iterations=20', 'would twenty iterations do?'],
    ['ralph simulate --trace 17', 'what happened in run 17'],
    ['ralph simulate --script clumsy-builder.yml', 'with a hat that does what a file says'],
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
  const signal = await playInterruptibly(context, simulation);
  const report = simulation.report();
  if (flags.format === 'json') printJson(terminal, { v: 1, ...report });
  else printReport(terminal, report);
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
    throw new RalphError({
      code: 'config-invalid',
      what: 'The configuration cannot be run.',
      fix: renderDiagnostics(diagnostics),
      exitCode: 1,
    });
  }
  const color = terminal.errStyle('heading', 'x') !== 'x';
  const shown = diagnostics.filter((diagnostic) => diagnostic.severity !== 'note');
  if (shown.length > 0) terminal.err(`${renderDiagnostics(shown, { color })}\n\n`);
  return topology;
}

interface TraceRequest {
  readonly run: number;
  readonly simulated: SimulateOptions;
  readonly flags: SimulateFlags;
}

function trace({ terminal }: CliContext, topology: Topology, { run, simulated, flags }: TraceRequest): number {
  const played = traceRun(topology, run, simulated);
  if (flags.format === 'json') printJson(terminal, { v: 1, ...played });
  else printTrace(terminal, played, topology.coordination);
  return played.reason === 'completed' ? 0 : 1;
}
