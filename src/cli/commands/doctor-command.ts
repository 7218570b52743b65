import { type FactRow, toPlainLine, toRowLines } from '../../views/index.ts';
import { addExamples, type CliCommand } from '../cli-command.ts';
import type { AppApi } from '../cli-context.ts';
import { addConfigOptions, type ConfigOptions, toConfigRequest } from '../config-options.ts';
import { addFormatOption } from '../format-option.ts';
import { printProse } from '../print-prose.ts';
import { printTable } from '../print-table.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';
import { performProbe } from './doctor-probe.ts';
import { performSandbox } from './doctor-sandbox.ts';

type DoctorReport = Awaited<ReturnType<AppApi['examine']>>;

/** `ralph doctor`. */
export const doctorCommand: CliCommand = {
  declare: (command) => {
    command.option('--sandbox', 'what is enforced for each hat, and by what');
    command.option('--probe [cli...]', 'try what profile critic forbids through these CLIs, with a model on this machine');
    addConfigOptions(command);
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
    addExamples(command, [
      ['ralph doctor', 'which agents are there, are they signed in, what to do'],
      ['ralph doctor --format json | jq .backends', 'for programs'],
      ['ralph doctor --sandbox', 'what holds each hat back, and what nothing does'],
      ['ralph doctor --sandbox -c team.yml', 'the same for another configuration'],
      ['ralph doctor --probe', 'do the installed CLIs hold a read-only profile? remembered for runs'],
      ['ralph doctor --probe claude codex', 'only these'],
    ]);
  },
  perform: async (context, { options }) => {
    const { terminal, loadApp } = context;
    const probe = options['probe'];
    if (probe !== undefined) return performProbe(context, Array.isArray(probe) ? probe.map(String) : [], options['format']);
    if (options['sandbox'] === true) return performSandbox(context, options as ConfigOptions);
    const app = await loadApp();
    const report = await app.examine(toConfigRequest(context, options as ConfigOptions));
    const hasProblem = report.checks.some((check) => check.status === 'problem');
    if (options['format'] === 'json') printJson(terminal, { v: 1, ...report });
    else printReport(terminal, report);
    return hasProblem ? 1 : 0;
  },
};

function printReport(terminal: Terminal, { checks, backends }: DoctorReport): void {
  const layout = { width: terminal.columns() };
  for (const line of toRowLines(checks.flatMap(toCheckRows), layout)) printLine(terminal, line);
  printLine(terminal, '');
  printTable(terminal, ['agent', 'program', 'version', 'signed in', 'tried'], backends.map(toCells));
  const advice = backends.flatMap(({ type, advice: texts }) => texts.map((text) => ({ label: type, text })));
  if (advice.length > 0) printLine(terminal, '');
  for (const line of toRowLines(advice, layout)) printLine(terminal, line);
  printProse(terminal, `\n${PERMISSIONS_NOTE}`);
}

const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const;

function toCheckRows({ name, status, text, fix }: DoctorReport['checks'][number]): readonly FactRow[] {
  const row = { label: name, text: `${MARKS[status]} ${toPlainLine(text, 300)}` };
  return fix === undefined ? [row] : [row, { label: name, text: `→ ${fix}` }];
}

function toCells({ type, command, path, version, looksSignedIn, verified }: DoctorReport['backends'][number]): readonly string[] {
  const isThere = path !== null;
  return [
    type,
    isThere ? command : `${command}: not found`,
    version === null ? '-' : toPlainLine(version, 30),
    isThere ? toSignIn(looksSignedIn) : '-',
    verified ? (isThere ? 'yes' : '-') : 'unverified',
  ];
}

function toSignIn(looksSignedIn: boolean | null): string {
  if (looksSignedIn === null) return 'cannot tell';
  return looksSignedIn ? 'looks so' : 'no sign of it';
}

const PERMISSIONS_NOTE = [
  'Note: agents run unattended, so each is started with its own "ask nobody" flag: it may run any command and change any file that you may.',
  'To leave that flag out: `cli: {permissions: default}` in ralph.yml.',
].join('\n');
