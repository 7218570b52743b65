import type * as App from '../../app/index.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { isRalphError } from '../../core/values/errors.ts';
import { toStateText } from '../../views/report/attention.ts';
import { toFirstLine, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import type { CliCommand } from '../cli-command.ts';
import { toLocalTime } from '../terminal/local-time.ts';
import { printTable } from '../terminal/print.ts';
import { printJson, type Terminal } from '../terminal/terminal.ts';

/** A run, and its folder where those of several are listed. */
type SummarisedRun = App.RunSummary & { readonly root?: string };

/** `ralph runs`. */
export const runsCommand: CliCommand = {
  declare: (command) => {
    command.option('--all', 'list the runs of all folders in which you have started some');
    addFormatOption(command, ['table', 'json'], 'table for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph runs', 'the runs of this folder, the newest first'],
      ['ralph runs --all', 'those of all folders'],
      ['ralph runs --format json | jq .runId', 'for programs'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { options }) => {
    const app = await loadApp();
    const isAll = options['all'] === true;
    const tellUnread = (root: string, error: unknown): void =>
      terminal.err(`${toPlainLine(`The runs of ${root} cannot be read: ${isRalphError(error) ? error.message : String(error)}`, 1000)}\n`);
    const runs: readonly SummarisedRun[] = isAll ? app.summariseAllRuns(env, tellUnread) : app.summariseRuns(cwd, env);
    if (options['format'] === 'json') {
      for (const run of runs) printJson(terminal, { v: 1, ...run });
      return 0;
    }
    if (runs.length === 0) terminal.err('There is no run in this folder yet.\nStart one: ralph run -p "what is to be done"\n');
    else printRuns(terminal, runs);
    for (const { runId, wayBack } of runs)
      if (wayBack !== undefined) terminal.err(`The journal of the run ${runId} was lost. ${wayBack}\n`);
    return 0;
  },
};

function printRuns(terminal: Terminal, runs: readonly SummarisedRun[]): void {
  const hasWorktrees = runs.some(({ worktree }) => worktree !== null);
  const hasFolders = runs.some(({ root }) => root !== undefined);
  const heading = [
    'run',
    'started',
    'status',
    'iterations',
    'cost',
    ...(hasWorktrees ? ['worktree'] : []),
    'asked',
    ...(hasFolders ? ['folder'] : []),
  ];
  const rows = runs.map((run) => toCells(run, hasWorktrees));
  printTable(terminal, heading, rows);
}

function toCells(run: SummarisedRun, hasWorktrees: boolean): readonly string[] {
  const { runId, startedAt, status, iterations, interrupted, costUsd, objective, worktree, root } = run;
  return [
    runId,
    startedAt === 0 ? '-' : toLocalTime(startedAt),
    `${status === 'ended' ? toEndText(run) : status.replace('_', ' ')}${toMark(run)}`,
    interrupted === 0 ? String(iterations) : `${iterations} (and ${interrupted} interrupted)`,
    toUsdText(costUsd),
    ...(hasWorktrees ? [worktree ?? '-'] : []),
    toFirstLine(objective, 160),
    ...(root === undefined ? [] : [root]),
  ];
}

/** What needs its person is told beside its status; that a run is dead says it already. */
function toMark({ status, attention }: SummarisedRun): string {
  if (status === 'dead' || attention === null || attention.state === 'working' || attention.state === 'done') return '';
  return `, ${toStateText(attention.state)}`;
}

function toEndText({ reason, proof }: SummarisedRun): string {
  return proof?.isProven === false ? `${reason}, unproven` : (reason ?? 'ended');
}
