import type * as App from '../../app/index.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { toSafeName } from '../../core/text/file-name.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { toGateEndText } from '../../views/report/evidence.ts';
import { cleanText, toCount, toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { untilStopped } from '../live/signals.ts';
import { printProse } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

export const landCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .option('--onto <branch>', 'the branch to merge into; default: the one that was checked out when the run began')
      .option('--squash', 'merge it as one commit')
      .option('--resolve <hat>', 'let this hat of the run, or ralph, resolve a conflict')
      .option('--unfinished', 'merge a run that has not completed, too')
      .option('--clean', 'then remove the worktree and its branch');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object');
    addExamples(command, [
      ['ralph land', 'merge the newest run, run the gates, move the branch'],
      ['ralph land --squash --clean', 'as one commit; then remove its worktree'],
      ['ralph land --resolve builder', 'the hat builder resolves a conflict; Ralph checks the files, then runs the gates'],
      ['ralph land 20261121-22 --onto next', 'a particular run, into another branch'],
    ]);
    addNote(
      command,
      'The merge is made in a worktree of its own. A conflict or a failed gate leaves everything as it was. Uncommitted changes in this folder are never touched.',
    );
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const { cwd, env, terminal, loadApp } = context;
  const app = await loadApp();
  const isJson = options['format'] === 'json';
  const request = {
    run: args[0],
    onto: options['onto'] === undefined ? null : String(options['onto']),
    isSquashed: options['squash'] === true,
    takesUnfinished: options['unfinished'] === true,
    cleans: options['clean'] === true,
    resolver: options['resolve'] === undefined ? null : String(options['resolve']),
  };
  const observe = (_gate: number, line: string): void => {
    if (!isJson) printLine(terminal, terminal.style('faint', `  | ${toPlainLine(line, 300)}`));
  };
  const onResolving: Parameters<AppApi['landRun']>[2]['onResolving'] = ({ runId, hat, files }) => {
    const text = `${maskControls(hat)} resolves the conflict in ${toCount(files, 'file')}. Follow it: ralph show ${runId} --follow`;
    if (!isJson) printLine(terminal, terminal.style('faint', text));
  };
  // Before the landing, after which the worktree may be gone.
  const doubts = toDoubts(await app.reviewRun(cwd, request.run, env).catch(() => null));
  const { result: report, stoppedBy } = await untilStopped(context, (signal) =>
    app.landRun(cwd, request, { signal, observe, onResolving }, env),
  );
  if (isJson) printJson(terminal, { v: 1, ...report, flagged: doubts });
  else print(terminal, report, request.resolver, doubts);
  return stoppedBy ?? (report.outcome === 'landed' || report.outcome === 'nothing' ? 0 : 1);
}

/** What a person is told of a run before they take its work for proven: its gates pass on the merged tree with the tests that it changed, too. */
function toDoubts(review: Awaited<ReturnType<AppApi['reviewRun']>> | null): readonly string[] {
  if (review === null) return [];
  const flagged = review.rows.flatMap(({ label, text }) => (label === 'Flagged' ? [text] : []));
  return review.proof?.isProven === false ? [`unproven: ${review.proof.reason}`, ...flagged] : flagged;
}

function print(terminal: Terminal, report: App.LandReport, resolver: string | null, doubts: readonly string[]): void {
  const { runId, outcome, onto, conflicts } = report;
  printResolution(terminal, report);
  for (const result of report.gates) {
    const verdict = result.passed ? terminal.style('good', 'passed') : terminal.style(result.required ? 'bad' : 'warning', 'FAILED');
    printLine(terminal, `${verdict}  ${toPlainLine(toResultName(result), 100)} (${toGateEndText(result)})`);
  }
  if (outcome === 'conflict') return printConflict(terminal, report);
  if (outcome === 'refused') return printRefusal(terminal, report);
  for (const doubt of outcome === 'landed' ? doubts : [])
    printProse(terminal, `${terminal.style('warning', 'Flagged')}  ${toPlainLine(doubt, 400)}`);
  if (outcome === 'nothing') printProse(terminal, `${toSafeName(onto)} already contains everything of run ${runId}.`);
  else printProse(terminal, `Run ${runId} has landed: ${toHowText(report)}.`);
  if (resolver !== null && conflicts.length === 0) printProse(terminal, 'There was no conflict to resolve.');
  printProse(terminal, toCleanText(report));
}

/** What the hat made of the conflict, and what it touched besides. */
function printResolution(terminal: Terminal, { resolution }: App.LandReport): void {
  if (resolution === null) return;
  const { hat, runId, outcome, why, others, costUsd } = resolution;
  const isResolved = outcome === 'resolved';
  const verdict = isResolved ? terminal.style('good', 'resolved') : terminal.style('bad', 'NOT RESOLVED');
  const cost = costUsd === null ? '' : `, ${toUsdText(costUsd)}`;
  printLine(terminal, `${verdict}  by ${maskControls(hat)} (run ${runId}${cost})`);
  for (const line of why.slice(0, SHOWN_FILES)) printLine(terminal, `  ${toPlainLine(toSafeName(line), 300)}`);
  if (why.length > SHOWN_FILES) printLine(terminal, `  and ${why.length - SHOWN_FILES} more`);
  if (others.length === 0) return;
  const names = others.slice(0, SHOWN_FILES).map(toSafeName).join(', ');
  const more = others.length > SHOWN_FILES ? `, and ${others.length - SHOWN_FILES} more` : '';
  printProse(terminal, `It also changed what was not in conflict: ${names}${more}.`);
}

function printConflict(terminal: Terminal, report: App.LandReport): void {
  const { runId, onto, branch, conflicts, resolution, worktreePath } = report;
  const count = toCount(conflicts.length, 'file');
  printProse(
    terminal,
    `Run ${runId} was not landed: ${toSafeName(onto)} and ${toSafeName(branch)} have both changed ${count}. Everything is as it was.`,
  );
  if (resolution === null) printConflicts(terminal, report);
  const byHand = `Merge by hand, where the run worked: git -C ${toShellWord(worktreePath)} merge ${toShellWord(onto)}; then: ralph land ${runId}`;
  printProse(
    terminal,
    resolution === null
      ? `Let a hat of the run, or ralph, resolve it: ralph land ${runId} --resolve HAT. ${byHand}`
      : `See what it did: ralph show ${resolution.runId} --diff. ${byHand}`,
  );
}

function toHowText({ how, commits, onto, commit, checkout }: App.LandReport): string {
  const what = how === 'squash' ? `${toCount(commits, 'commit')} as one` : toCount(commits, 'commit');
  const where = checkout === null ? '' : `, and the files in ${maskControls(checkout)}`;
  return `${toSafeName(onto)} has its ${what}${how === 'merge' ? ', in a merge,' : ''} and is at ${commit?.slice(0, ID_CHARS)}${where}`;
}

const ID_CHARS = 12;

function printRefusal(terminal: Terminal, { runId, gates, onto, resolution }: App.LandReport): void {
  for (const result of gates.filter(({ passed, required }) => required && !passed)) {
    for (const line of cleanText(result.outputTail).trim().split('\n').slice(-SHOWN_LINES))
      printLine(terminal, `  ${toPlainLine(line, 300)}`);
  }
  printProse(terminal, `Run ${runId} was not landed: on the merged tree a gate failed. ${toSafeName(onto)} is as it was.`);
  if (resolution !== null) printProse(terminal, `See how the conflict was resolved: ralph show ${resolution.runId} --diff`);
}

const SHOWN_LINES = 12;
const SHOWN_FILES = 20;

function printConflicts(terminal: Terminal, { conflicts, onto, branch }: App.LandReport): void {
  for (const { path, what, hunks } of conflicts.slice(0, SHOWN_FILES)) {
    printLine(terminal, terminal.style('warning', `  ${toSafeName(path)}: ${what}`));
    for (const line of hunks
      .join('\n')
      .split('\n')
      .filter((text) => text !== ''))
      printLine(terminal, `    ${toPlainLine(toSide(line, onto, branch), 200)}`);
  }
  if (conflicts.length > SHOWN_FILES) printLine(terminal, `  and ${conflicts.length - SHOWN_FILES} more files`);
}

/** Git names the sides by what it merged; a person knows them by their branches. */
function toSide(line: string, onto: string, branch: string): string {
  if (line.startsWith('<<<<<<< ')) return `<<<<<<< ${onto}`;
  return line.startsWith('>>>>>>> ') ? `>>>>>>> ${branch}` : line;
}

function toCleanText({ isCleaned, keptWhy, worktree, runId }: App.LandReport): string {
  if (isCleaned) return `Its worktree and its branch were removed.`;
  if (keptWhy !== '') return `Its worktree stays: ${maskControls(keptWhy)}`;
  return `Remove its worktree ${worktree}: ralph land ${runId} --clean`;
}
