import { type FactRow, toPlainLine, toRowLines } from '../../views/index.ts';
import type { AppApi, CliContext } from '../cli-context.ts';
import { type ConfigOptions, toConfigRequest } from '../config-options.ts';
import { printJson, printLine, type Terminal } from '../terminal.ts';

type ScopeReport = Awaited<ReturnType<AppApi['examineScopes']>>;
type HatScope = ScopeReport['hats'][number];
type Probe = ScopeReport['probes'][number];

/** `ralph doctor --sandbox`: what will be enforced for each hat, layer by layer. The exit code is 1 where one is required that is not there. */
export async function performSandbox(context: CliContext, options: ConfigOptions & { readonly format?: unknown }): Promise<number> {
  const { terminal } = context;
  const app = await context.loadApp();
  const report = await app.examineScopes(toConfigRequest(context, options));
  if (options.format === 'json') printJson(terminal, { v: 1, ...report });
  else printReport(terminal, report);
  return report.hats.some(({ isRefused }) => isRefused) ? 1 : 0;
}

function printReport(terminal: Terminal, { sandbox, hats, probes }: ScopeReport): void {
  const layout = { width: terminal.columns() };
  const state = sandbox.found ?? `none: ${sandbox.why ?? ''}`;
  const rows = [
    { label: 'sandbox', text: toPlainLine(state, 300) },
    { label: 'mode', text: sandbox.mode },
  ];
  for (const line of toRowLines(rows, layout)) printLine(terminal, line);
  for (const hat of hats) {
    printLine(terminal, `\n${toTitle(hat)}`);
    for (const line of toRowLines(toRows(hat), layout)) printLine(terminal, line);
  }
  if (probes.length === 0) return;
  printLine(terminal, '\nagent CLIs, as `ralph doctor --probe` found them');
  for (const line of toRowLines(probes.map(toProbeRow), layout)) printLine(terminal, line);
}

const PROBE_TEXTS: Readonly<Record<Probe['standing'], string>> = {
  probed: '✓ probed: it holds a profile',
  disproved: '✗ disproved: something came through',
  unclear: '! unclear: not everything could be tried',
  'not probed': '- not probed: nobody has tried whether it holds a profile',
};

function toProbeRow({ cli, version, standing, flags, os }: Probe): FactRow {
  const layers = flags === null ? '' : ` (its flags alone: ${flags}; with the sandbox: ${os ?? 'not tried'})`;
  return { label: cli, text: `${toPlainLine(version, 40)}: ${PROBE_TEXTS[standing]}${layers}` };
}

function toTitle({ hat, backend, profile, mayChangeFiles }: HatScope): string {
  const bound = profile === null ? 'no profile' : `profile ${toPlainLine(profile, 40)}`;
  return `${hat} (${toPlainLine(backend, 60)}, ${bound}): ${mayChangeFiles ? 'may change files' : 'may not change files'}`;
}

const MARKS = { on: '✓', partly: '!', off: '-' } as const;

function toRows({ tools, os, check, view }: HatScope): readonly FactRow[] {
  const layers = [['tools', tools], ['system', os], ['check', check], ...(view === null ? [] : [['view', view] as const])] as const;
  return layers.flatMap(([label, { state, text, limits }]) => [
    { label, text: `${MARKS[state]} ${toPlainLine(text, 300)}` },
    ...limits.map((limit) => ({ label, text: `  but: ${toPlainLine(limit, 300)}` })),
  ]);
}
