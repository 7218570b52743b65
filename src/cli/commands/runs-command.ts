import type * as App from '../../app/index.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { isRalphError } from '../../core/values/errors.ts';
import { toStateText } from '../../views/report/attention.ts';
import { toElsewhereAttention, toElsewhereText } from '../../views/report/elsewhere-report.ts';
import { toElsewhereRecord } from '../../views/report/run-status.ts';
import { toFirstLine, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import type { CliCommand } from '../cli-command.ts';
import { toLocalTime } from '../terminal/local-time.ts';
import { printTable } from '../terminal/print.ts';
import { printJson, type Terminal } from '../terminal/terminal.ts';

/** A run, and its folder where those of several are listed. */
type SummarisedRun = App.RunSummary & { readonly root?: string; readonly elsewhere?: App.AwayRun };

/** `ralph runs`. */
export const runsCommand: CliCommand = {
  declare: (command) => {
    command.option('--all', 'list the runs of every folder in which you have started any');
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
    const here: readonly SummarisedRun[] = isAll ? app.summariseAllRuns(env, tellUnread) : app.summariseRuns(cwd, env);
    const away = await app.findAllElsewhere(
      here.filter(isMaybeAway).map(({ runId, root = cwd }) => ({ runId, cwd: root })),
      env,
    );
    const runs = here.map((run): SummarisedRun => ({ ...run, ...toPlace(run, away.get(run.runId)) }));
    if (options['format'] === 'json') {
      for (const { elsewhere = null, ...run } of runs)
        printJson(terminal, { v: 1, ...run, elsewhere: elsewhere === null ? null : toElsewhereRecord(elsewhere) });
      return 0;
    }
    if (runs.length === 0) terminal.err('There is no run in this folder yet.\nStart one: ralph run -p "what is to be done"\n');
    else printRuns(terminal, runs);
    if (runs.some(({ elsewhere }) => elsewhere !== undefined))
      terminal.err(
        'Of runs that are elsewhere, or may be, `ralph status RUN` says more: how to see and steer them there, and to bring them home.\n',
      );
    for (const { runId, wayBack } of runs)
      if (wayBack !== undefined) terminal.err(`The journal of the run ${runId} was lost. ${wayBack}\n`);
    return 0;
  },
};

/** One whose process is here, or that is complete, is nowhere else. */
function isMaybeAway({ status, reason }: SummarisedRun): boolean {
  return status === 'dead' || (status === 'ended' && reason !== 'completed');
}

/** What it needs of its person is said by where it is. */
function toPlace({ runId, startedAt, attention }: SummarisedRun, elsewhere: App.AwayRun | undefined): Partial<SummarisedRun> {
  if (elsewhere === undefined) return {};
  const there = toElsewhereAttention({ runId, at: attention?.since ?? startedAt }, elsewhere);
  return { elsewhere, attention: there ?? attention };
}

/** Where it is, in a few words. */
function toAwayText(away: App.AwayRun, here: string): string {
  const place = toElsewhereText(away);
  const { state } = away;
  if (state === 'unasked') return `${here}; its fleet does not answer`;
  const words = { held: 'goes on', lost: 'not ended, lost', left: 'not ended, lost', free: 'stopped', ended: 'complete' };
  return `${words[state]} ${place}`;
}

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
  const { runId, startedAt, iterations, interrupted, costUsd, objective, worktree, root, elsewhere } = run;
  return [
    runId,
    startedAt === 0 ? '-' : toLocalTime(startedAt),
    elsewhere === undefined ? toHereText(run) : toAwayText(elsewhere, toHereText(run)),
    interrupted === 0 ? String(iterations) : `${iterations} (and ${interrupted} interrupted)`,
    toUsdText(costUsd),
    ...(hasWorktrees ? [worktree ?? '-'] : []),
    toFirstLine(objective, 160),
    ...(root === undefined ? [] : [root]),
  ];
}

function toHereText(run: SummarisedRun): string {
  return `${run.status === 'ended' ? toEndText(run) : run.status.replace('_', ' ')}${toMark(run)}`;
}

/** What needs its person is told beside its status; that a run is dead says it already. */
function toMark({ status, attention }: SummarisedRun): string {
  if (status === 'dead' || attention === null || attention.state === 'working' || attention.state === 'done') return '';
  return `, ${toStateText(attention.state)}`;
}

function toEndText({ reason, proof }: SummarisedRun): string {
  return proof?.isProven === false ? `${reason}, unproven` : (reason ?? 'ended');
}
