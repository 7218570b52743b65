import { type FactRow, toPlainLine, toRowLines } from '../../views/index.ts';
import type { AppApi, CliContext } from '../cli-context.ts';
import { untilStopped } from '../live/until-stopped.ts';
import { printTable } from '../print-table.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';

type ProbesReport = Awaited<ReturnType<AppApi['probeAgents']>>;
type Probe = ProbesReport['probes'][number];
type Verdict = NonNullable<Probe['verdict']>;

/** `ralph doctor --probe`: the exit code is 1 where something came through everything that this machine has. */
export async function performProbe(context: CliContext, clis: readonly string[], format: unknown): Promise<number> {
  const { cwd, env, terminal } = context;
  const app = await context.loadApp();
  const onStart = (cli: string, version: string): void => terminal.err(`probing ${cli} ${toPlainLine(version, 40)} …\n`);
  const { result: report, stoppedBy } = await untilStopped(context, (signal) => app.probeAgents({ clis, cwd, env, signal, onStart }));
  if (stoppedBy !== null) return stoppedBy;
  if (format === 'json') printJson(terminal, { v: 1, ...report });
  else printReport(terminal, report);
  return report.probes.some(({ verdict }) => verdict === null || (verdict.os ?? verdict.flags).outcome !== 'held') ? 1 : 0;
}

function printReport(terminal: Terminal, { probes, noSandbox }: ProbesReport): void {
  if (probes.length === 0) {
    printLine(terminal, 'No agent CLI that can be probed is installed.');
    return;
  }
  printTable(terminal, ['agent', 'version', 'its flags alone', 'with the sandbox', 'tests', 'events'], probes.map(toCells));
  const layout = { width: terminal.columns() };
  const rows = [...probes.flatMap(toRows), ...(noSandbox === null ? [] : [{ label: 'sandbox', text: `not tried: ${noSandbox}` }])];
  if (rows.length > 0) printLine(terminal, '');
  for (const line of toRowLines(rows, layout)) printLine(terminal, line);
}

function toCells({ cli, verdict }: Probe): readonly string[] {
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

function toRows(probe: Probe): readonly FactRow[] {
  const { cli, verdict, why, isKept } = probe;
  if (verdict === null) return [{ label: cli, text: why }];
  return [
    ...toLayerRows(cli, 'its flags alone', verdict.flags),
    ...(verdict.os === null ? [] : toLayerRows(cli, 'with the sandbox', verdict.os)),
    ...(isKept ? [] : [{ label: cli, text: 'the verdict could not be kept, so runs do not know it' }]),
  ];
}

function toLayerRows(cli: string, layer: string, { through, others, note }: Verdict['flags']): readonly FactRow[] {
  const came = [...through, ...others].map((name) => toPlainLine(name, 60));
  return [
    ...(came.length === 0 ? [] : [{ label: cli, text: `${layer}: came through: ${came.join(', ')}` }]),
    ...(note === '' ? [] : [{ label: cli, text: `${layer}: ${toPlainLine(note, 300)}` }]),
  ];
}
