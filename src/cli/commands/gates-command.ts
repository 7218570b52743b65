import type * as App from '../../app/index.ts';
import { findGuidePage } from '../../config/layers/package-files.ts';
import type { Settings } from '../../config/settings.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import { toGateName } from '../../core/gates/gate-spec.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { toGateEndText } from '../../views/report/evidence.ts';
import { cleanText, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { createUnknownNameError, createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { untilStopped } from '../live/signals.ts';
import { createConfigInvalid } from '../team/load-team.ts';
import { printProse, printTable } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const gatesCommand: CliCommand = {
  declare: (command) => {
    command.argument('[name...]', 'with --run: only these gates, by name, command or number');
    command.option('--run', 'run them now, outside any run; exit code 1 if a required one fails');
    addConfigOptions(command);
    addFormatOption(command, ['human', 'json'], 'human for people, json for programs');
    addExamples(command, [
      ['ralph gates', 'the gates, what they guard, and their last results'],
      ['ralph gates --run', 'would the work pass now?'],
      ['ralph gates --run 2', 'only the second one'],
      ['ralph gates --format json | jq .gates[].evidence', 'for programs'],
    ]);
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const isJson = options['format'] === 'json';
  const names = args.flat().filter((name): name is string => typeof name === 'string');
  if (options['run'] !== true && names.length > 0)
    throw createUsageError('A name goes with --run.', `Run it: ralph gates --run ${toPlainLine(names[0] ?? '', 60)}`);
  const app = await context.loadApp();
  const { settings } = app.withFoundGate(app.withFoundChecks(loadSettings(context, options as ConfigOptions), context.cwd), context);
  if (options['run'] === true) return runNow(context, app, { settings, names, isJson });
  const report = await app.listGates(settings, context.cwd, context.env);
  if (isJson) printJson(context.terminal, { v: 1, ...report });
  else printReport(context.terminal, report);
  return 0;
}

/** The configuration; what is to be said about it goes to standard error, errors end the command. */
function loadSettings(context: AppContext, options: ConfigOptions): Settings {
  const { settings, diagnostics } = checkConfig({ ...toConfigRequest(context, options), prompt: 'optional' });
  if (settings !== null) return settings;
  throw createConfigInvalid(diagnostics);
}

interface RunChoice {
  readonly settings: Settings;
  readonly names: readonly string[];
  readonly isJson: boolean;
}

async function runNow(context: AppContext, app: AppApi, { settings, names, isJson }: RunChoice): Promise<number> {
  const { cwd, env, terminal } = context;
  const gates = chooseGates(settings, names);
  const observe = (gate: number, line: string): void => {
    const whose = gates.length > 1 ? `${toPlainLine(toGateName(settings.spec.gates[gate] ?? { run: '' }), 24)} ` : '';
    if (!isJson) printLine(terminal, terminal.style('faint', `  ${whose}| ${toPlainLine(line, 300)}`));
  };
  const { result: run, stoppedBy } = await untilStopped(context, (signal) => app.runGates({ settings, cwd, env, gates, signal, observe }));
  if (isJson) printJson(terminal, { v: 1, ...run });
  else printVerdicts(terminal, run);
  return stoppedBy ?? (run.passed ? 0 : 1);
}

/** The places of the gates that are meant; without names all that run a command. */
function chooseGates({ spec }: Settings, names: readonly string[]): readonly number[] {
  const all = spec.gates.flatMap((gate, index) => (gate.protect === undefined ? [index] : []));
  if (names.length === 0) return all;
  return [...new Set(names.map((name) => findGate(spec.gates, all, name)))].sort((left, right) => left - right);
}

function findGate(gates: Settings['spec']['gates'], runnable: readonly number[], name: string): number {
  const findBy = (toWord: (gate: Settings['spec']['gates'][number], index: number) => string | undefined): number | undefined =>
    runnable.find((index) => {
      const gate = gates[index];
      return gate !== undefined && toWord(gate, index) === name;
    });
  const found = findBy(toGateName) ?? findBy(({ run }) => run) ?? findBy(({ check }) => check) ?? findBy((_, index) => String(index + 1));
  if (found !== undefined) return found;
  const known = runnable.map((index) => toGateName(gates[index] ?? { run: '' }));
  const fix =
    known.length === 0
      ? 'No gate that runs a command is configured.'
      : `The gates are: ${known.map((text) => toPlainLine(text, 60)).join(', ')}`;
  throw createUnknownNameError('no gate', name, known, fix);
}

function printVerdicts(terminal: Terminal, { results }: App.GateRun): void {
  if (results.length === 0) return printLine(terminal, toNoGates());
  for (const result of results) {
    const verdict = result.passed ? terminal.style('good', 'passed') : terminal.style(result.required ? 'bad' : 'warning', 'FAILED');
    const note = result.passed || result.required ? '' : '; not required';
    printLine(terminal, `${verdict}  ${toPlainLine(toResultName(result), 100)} (${toGateEndText(result)}${note})`);
    // What it said was shown; what is to be said about its end was not.
    const remark = /(?:^|\n)(\[[^\n]+\]|[^\n]+)$/.exec(cleanText(result.outputTail))?.[1];
    if (!result.passed && result.exitCode === null && remark !== undefined) printLine(terminal, `  ${toPlainLine(remark, 300)}`);
  }
}

function toNoGates(): string {
  return `No gate is configured, so the agents’ word is all there is. See ${findGuidePage('gates')}`;
}

function printReport(terminal: Terminal, { runId, gates, warnings }: App.GateReport): void {
  if (gates.length === 0) return printLine(terminal, toNoGates());
  printTable(
    terminal,
    ['#', 'gate', 'guards', 'required', 'last evidence'],
    gates.map((gate) => [
      String(gate.number),
      toNameText(gate),
      `${gate.on.join(', ')}${gate.hats === null ? '' : ` of ${gate.hats.join(', ')}`}`,
      gate.required ? 'yes' : 'no',
      toEvidenceText(gate),
    ]),
  );
  for (const warning of warnings) printLine(terminal, terminal.style('warning', toPlainLine(warning, 500)));
  const where = runId === null ? 'No run has run them yet.' : `Evidence: run ${runId}; the records are in its folder, evidence/.`;
  printProse(terminal, `\n${where} Run them now: ralph gates --run`);
}

function toNameText(gate: App.GateRow): string {
  const where = gate.runsOn === null ? '' : ` (on a fleet: by a worker with ${gate.runsOn.join(', ')})`;
  return `${toWhatText(gate)}${where}`;
}

function toWhatText({ name, command, check, protect, from }: App.GateRow): string {
  if (protect !== null) return toPlainLine(`${name}: ${protect.join(', ')}`, 200);
  if (command === null) return `${check}: the project’s files do not say how`;
  if (from !== null) return toPlainLine(`${name} (found in ${from})`, 200);
  return toPlainLine(name === command ? command : `${name}: ${command}`, 200);
}

function toEvidenceText({ evidence }: App.GateRow): string {
  if (evidence === null) return '-';
  const { passed, skipped, exitCode, timedOut, durationMs, attempts, isFresh, number, worker } = evidence;
  if (skipped) return 'not run: no file that it checks had changed';
  const end = timedOut ? 'ran out of time' : exitCode === null ? 'no exit code' : `exit ${exitCode}`;
  const tries = attempts > 1 ? ` at try ${attempts}` : '';
  const fresh = isFresh === null ? '' : isFresh ? ', fresh' : ', stale: files have changed since';
  const record = number === null ? '' : `, ${number}.json`;
  const where = worker === null ? '' : `, on worker ${toPlainLine(worker, 60)}`;
  return `${passed ? 'passed' : 'FAILED'} (${end}${tries}, ${toDurationText(durationMs)}${where}${record})${fresh}`;
}
