import type * as App from '../../app/index.ts';
import { type FactRow, toRowLines } from '../../views/text/fact-rows.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import { untilStopped } from '../live/signals.ts';
import { printProse, printTable } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const doctorCommand: CliCommand = {
  declare: (command) => {
    command.option('--sandbox', 'show what is enforced for each hat, and by what');
    command.option('--probe [cli...]', 'try what the profile critic forbids in these CLIs, with a scripted model on this machine');
    addConfigOptions(command);
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs');
    addExamples(command, [
      ['ralph doctor', 'which agents are installed, whether they are signed in, what to do'],
      ['ralph doctor --format json | jq .backends', 'for programs'],
      ['ralph doctor --sandbox', 'what confines each hat, and what nothing confines'],
      ['ralph doctor --sandbox -c team.yml', 'the same for another configuration'],
      ['ralph doctor --probe', 'whether the installed CLIs obey a read-only profile; runs use the result'],
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

function printReport(terminal: Terminal, { checks, backends }: App.DoctorReport): void {
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

function toCheckRows({ name, status, text, fix }: App.DoctorReport['checks'][number]): readonly FactRow[] {
  const row = { label: name, text: `${MARKS[status]} ${toPlainLine(text, 300)}` };
  return fix === undefined ? [row] : [row, { label: name, text: `→ ${fix}` }];
}

function toCells({ type, command, path, version, looksSignedIn, verified }: App.DoctorReport['backends'][number]): readonly string[] {
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

type ProbedLayer = NonNullable<App.ProbeReport['verdict']>['flags'];

/** `ralph doctor --probe`: the exit code is 1 where something came through everything that this machine has. */
async function performProbe(context: AppContext, clis: readonly string[], format: unknown): Promise<number> {
  const { cwd, env, terminal } = context;
  const app = await context.loadApp();
  const onStart = (cli: string, version: string): void => terminal.err(`probing ${cli} ${toPlainLine(version, 40)} …\n`);
  const { result: report, stoppedBy } = await untilStopped(context, (signal) => app.probeAgents({ clis, cwd, env, signal, onStart }));
  if (stoppedBy !== null) return stoppedBy;
  if (format === 'json') printJson(terminal, { v: 1, ...report });
  else printProbes(terminal, report);
  return report.probes.some(({ verdict }) => verdict === null || (verdict.os ?? verdict.flags).outcome !== 'held') ? 1 : 0;
}

function printProbes(terminal: Terminal, { probes, noSandbox }: App.ProbesReport): void {
  if (probes.length === 0) {
    printLine(terminal, 'No agent CLI that can be probed is installed.');
    return;
  }
  printTable(terminal, ['agent', 'version', 'its flags alone', 'with the sandbox', 'tests', 'events'], probes.map(toProbeCells));
  const layout = { width: terminal.columns() };
  const rows = [...probes.flatMap(toProbeRows), ...(noSandbox === null ? [] : [{ label: 'sandbox', text: `not tried: ${noSandbox}` }])];
  if (rows.length > 0) printLine(terminal, '');
  for (const line of toRowLines(rows, layout)) printLine(terminal, line);
}

function toProbeCells({ cli, verdict }: App.ProbeReport): readonly string[] {
  if (verdict === null) return [cli, '-', 'not probed', '-', '-', '-'];
  const { version, flags, os } = verdict;
  const best = os ?? flags;
  return [
    cli,
    toPlainLine(version, 30),
    flags.outcome,
    os?.outcome ?? '-',
    best.ranTests ? 'ran' : 'did not run',
    best.published ? 'arrived' : 'did not arrive',
  ];
}

function toProbeRows(probe: App.ProbeReport): readonly FactRow[] {
  const { cli, verdict, why, isKept } = probe;
  if (verdict === null) return [{ label: cli, text: why }];
  return [
    ...toLayerRows(cli, 'its flags alone', verdict.flags),
    ...(verdict.os === null ? [] : toLayerRows(cli, 'with the sandbox', verdict.os)),
    ...(isKept ? [] : [{ label: cli, text: 'the verdict could not be kept, so runs do not know it' }]),
  ];
}

function toLayerRows(cli: string, layer: string, { through, others, note }: ProbedLayer): readonly FactRow[] {
  const came = [...through, ...others].map((name) => toPlainLine(name, 60));
  return [
    ...(came.length === 0 ? [] : [{ label: cli, text: `${layer}: came through: ${came.join(', ')}` }]),
    ...(note === '' ? [] : [{ label: cli, text: `${layer}: ${toPlainLine(note, 300)}` }]),
  ];
}

type KeptProbe = App.ScopeReport['probes'][number];

/** `ralph doctor --sandbox`: what will be enforced for each hat, layer by layer. The exit code is 1 where one is required that is not there. */
async function performSandbox(context: AppContext, options: ConfigOptions & { readonly format?: unknown }): Promise<number> {
  const { terminal } = context;
  const app = await context.loadApp();
  const report = await app.examineScopes(toConfigRequest(context, options));
  if (options.format === 'json') printJson(terminal, { v: 1, ...report });
  else printScopes(terminal, report);
  return report.hats.some(({ isRefused }) => isRefused) ? 1 : 0;
}

function printScopes(terminal: Terminal, { sandbox, hats, probes }: App.ScopeReport): void {
  const layout = { width: terminal.columns() };
  const state = sandbox.found ?? `none: ${sandbox.why ?? ''}`;
  const rows = [
    { label: 'sandbox', text: toPlainLine(state, 300) },
    { label: 'mode', text: sandbox.mode },
  ];
  for (const line of toRowLines(rows, layout)) printLine(terminal, line);
  for (const hat of hats) {
    printLine(terminal, `\n${toHatTitle(hat)}`);
    for (const line of toRowLines(toScopeRows(hat), layout)) printLine(terminal, line);
  }
  if (probes.length === 0) return;
  printLine(terminal, '\nagent CLIs, as `ralph doctor --probe` found them');
  for (const line of toRowLines(probes.map(toKeptProbeRow), layout)) printLine(terminal, line);
}

const PROBE_TEXTS: Readonly<Record<KeptProbe['standing'], string>> = {
  probed: '✓ probed: it holds a profile',
  disproved: '✗ disproved: something came through',
  unclear: '! unclear: not everything could be tried',
  'not probed': '- not probed: nobody has tried whether it holds a profile',
};

function toKeptProbeRow({ cli, version, standing, flags, os }: KeptProbe): FactRow {
  const layers = flags === null ? '' : ` (its flags alone: ${flags}; with the sandbox: ${os ?? 'not tried'})`;
  return { label: cli, text: `${toPlainLine(version, 40)}: ${PROBE_TEXTS[standing]}${layers}` };
}

function toHatTitle({ hat, agent, backend, profile, mayChangeFiles }: App.HatScope): string {
  const bound = profile === null ? 'no profile' : `profile ${toPlainLine(profile, 40)}`;
  const who = agent === null ? hat : `${hat}, ${toPlainLine(agent, 40)} of its panel`;
  return `${who} (${toPlainLine(backend, 60)}, ${bound}): ${mayChangeFiles ? 'may change files' : 'may not change files'}`;
}

const LAYER_MARKS = { on: '✓', partly: '!', off: '-' } as const;

function toScopeRows({ tools, os, check, view }: App.HatScope): readonly FactRow[] {
  const layers = [['tools', tools], ['system', os], ['check', check], ...(view === null ? [] : [['view', view] as const])] as const;
  return layers.flatMap(([label, { state, text, limits }]) => [
    { label, text: `${LAYER_MARKS[state]} ${toPlainLine(text, 300)}` },
    ...limits.map((limit) => ({ label, text: `  but: ${toPlainLine(limit, 300)}` })),
  ]);
}
