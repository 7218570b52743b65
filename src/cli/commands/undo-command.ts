import type * as App from '../../app/index.ts';
import { toLostText } from '../../core/run/turn.ts';
import { toSafeName } from '../../core/text/file-name.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toCount } from '../../views/text/plain-text.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import { parseCount } from '../args/parse-values.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { printProse } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const undoCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .option('--to-turn <n>', 'go back to the end of this iteration; 0, the default: to before the first')
      .option('--yes', 'do it; without this option nothing is changed')
      .option('--force', 'also undo what was changed since the last turn; a copy is kept');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object');
    addExamples(command, [
      ['ralph undo', 'what would come back, what would be removed, what is in the way'],
      ['ralph undo --yes', 'undo the work of the newest run; called again: redo it'],
      ['ralph undo --to-turn 3 --yes', 'keep the work of its first three iterations'],
    ]);
    addNote(
      command,
      'Only files that turns of the run changed are touched, and each only if it is still as the last of these turns left it. No commit and no branch is changed. Files that git ignores, submodules, and untracked files over 8 MB are in no snapshot and stay as they are.',
    );
  },
  perform,
};

async function perform({ cwd, env, terminal, loadApp }: AppContext, { args, options }: CommandCall): Promise<number> {
  const toTurn = options['toTurn'] === undefined ? null : parseCount(String(options['toTurn']), '--to-turn', 0);
  const app = await loadApp();
  const isMeant = options['yes'] === true;
  const report = await app.undoRun(cwd, { run: args[0], toTurn, isMeant, isForced: options['force'] === true }, env);
  if (options['format'] === 'json') printJson(terminal, toRecord(report));
  else print(terminal, report, args[0], toTurn);
  return 0;
}

function toRecord({ comeBack, changed, removed, ...rest }: App.UndoReport): Readonly<Record<string, unknown>> {
  return { v: 1, ...rest, files: { comeBack, changed, removed } };
}

function print(terminal: Terminal, report: App.UndoReport, run: string | undefined, toTurn: number | null): void {
  printProse(terminal, toHeadline(report));
  printPaths(terminal, report.isDone ? 'brought back' : 'to be brought back', report.comeBack);
  printPaths(terminal, report.isDone ? 'changed back' : 'to be changed back', report.changed);
  printPaths(terminal, report.isDone ? 'removed' : 'to be removed', report.removed);
  for (const { path, why } of [...report.hindrances, ...report.changedSince]) {
    printLine(terminal, terminal.style('warning', `  ${report.isDone ? 'undone too' : 'in the way'}: ${toSafeName(path)}: ${why}`));
  }
  for (const { path, why } of report.leftAlone) printLine(terminal, `  left as it is: ${toSafeName(path)}: ${why}`);
  printPaths(terminal, 'also changed between turns, by you, a gate or a checkpoint', report.changedBetween);
  for (const note of toNotes(report)) printProse(terminal, note);
  if (!report.isDone) printProse(terminal, toNextStep(report, run, toTurn));
}

function toHeadline({ action, runId, workspace, toTurn, isDone }: App.UndoReport): string {
  const place = `in ${maskControls(workspace)}`;
  const moment = toTurn === 0 ? 'before its first turn' : `after turn ${toTurn}`;
  if (action === 'redo') return `The work of run ${runId} ${isDone ? 'is back' : 'would come back'} ${place}, as it was before the undo.`;
  if (action === 'finish') {
    return isDone
      ? `The undo of run ${runId} that was interrupted is finished ${place}.`
      : `An undo of run ${runId} was interrupted ${place}; this is left of it.`;
  }
  return `Run ${runId} ${isDone ? 'is undone' : 'would be undone'} ${place}: its files ${isDone ? 'are' : 'would be'} as they were ${moment}.`;
}

const SHOWN = 30;

function printPaths(terminal: Terminal, what: string, paths: readonly string[]): void {
  if (paths.length === 0) return;
  printLine(terminal, `  ${toCount(paths.length, 'file')} ${what}:`);
  for (const path of paths.slice(0, SHOWN)) printLine(terminal, `    ${toSafeName(path)}`);
  if (paths.length > SHOWN) printLine(terminal, `    and ${paths.length - SHOWN} more`);
}

function toNotes(report: App.UndoReport): readonly string[] {
  const { action, turns, lostTurns, commits, branch, isDone, runId, landed } = report;
  const first = turns[0]?.split('.')[0];
  const last = turns.at(-1)?.split('.')[0];
  const span = first === last ? `turn ${first}` : `turns ${first} to ${last}`;
  return [
    ...(action === 'undo' && turns.length > 0 ? [`Void: what ${span} did and published. The journal keeps it: ralph show ${runId}`] : []),
    ...(lostTurns.length > 0 ? [`It is not known for sure what changed in ${toLostText(lostTurns)}.`] : []),
    // Whether an undo or its reversal is finished is not known here.
    ...(action !== 'finish' && commits !== null && commits > (report.laterCommits ?? 0)
      ? [
          `${toCount(commits, 'commit')} since the run began ${commits === 1 ? 'stays' : 'stay'} on ${branch ?? 'the detached HEAD'}: an undo changes files only, and git status shows it. To undo it in the history, where that branch is checked out: ${toRevert(report)}`,
        ]
      : []),
    ...(landed !== null && action === 'undo'
      ? [`It has landed on ${toSafeName(landed.onto)}, where it stays. Take it out of there: ${landed.command}`]
      : []),
    ...(isDone && action === 'undo' ? [`Bring it back: ralph undo ${runId} --yes`] : []),
    ...(isDone && action === 'finish' ? [`Reverse it: ralph undo ${runId} --yes`] : []),
  ];
}

function toRevert({ action, isDone, runId, baseCommit, endCommit, laterCommits }: App.UndoReport): string {
  const range = `${baseCommit?.slice(0, ID_CHARS)}..${endCommit?.slice(0, ID_CHARS) ?? 'HEAD'}`;
  return `${isDone && action === 'undo' ? `take this undo back (ralph undo ${runId} --yes), then ` : ''}git revert --no-edit ${range}${toLater(endCommit, laterCommits ?? 0)}`;
}

function toLater(endCommit: string | null, later: number): string {
  if (endCommit === null) return ' (with what was committed after its end: nobody knows which commit that was)';
  return later === 0
    ? ''
    : ` (${toCount(later, 'commit')} that ${later === 1 ? 'was made after its end stays' : 'were made after its end stay'})`;
}

const ID_CHARS = 12;

function toNextStep(report: App.UndoReport, run: string | undefined, toTurn: number | null): string {
  const { action, comeBack, changed, removed, hindrances, changedSince } = report;
  if (action !== 'finish' && comeBack.length + changed.length + removed.length === 0) return 'There is nothing to do.';
  if (hindrances.length > 0) return 'Nothing was changed. Move what is in the way, then try again.';
  const words = ['ralph undo', ...(run === undefined ? [] : [run]), ...(toTurn === null ? [] : ['--to-turn', String(toTurn)]), '--yes'];
  const force = changedSince.length > 0 ? ' --force' : '';
  return `Nothing was changed. Do it: ${words.join(' ')}${force}`;
}
