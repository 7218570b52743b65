import type * as App from '../../app/index.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { shorten } from '../../core/text/shorten.ts';
import { RalphError } from '../../core/values/errors.ts';
import { toReviewMarkdown } from '../../views/review/review-markdown.ts';
import { cleanText, toCount } from '../../views/text/plain-text.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { type ReadRun, readView } from '../runs/read-run.ts';
import { printProse } from '../terminal/print.ts';
import { printJson, type Terminal } from '../terminal/terminal.ts';

export const prCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .option('--dry-run', 'show what would be pushed and opened; do nothing')
      .option('--base <branch>', 'the branch to merge into; default: the one that was checked out when the run began')
      .option('--remote <name>', 'the remote to push to; default: the remote of the base branch, else origin')
      .option('--title <text>', 'the title; default: the first line of the task');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object');
    addExamples(command, [
      ['ralph pr --dry-run', 'what would be pushed and where, with title and text'],
      ['ralph pr', 'push the branch of the newest run, open a draft'],
      ['ralph pr 20261121-22 --base next', 'a particular run, into another branch'],
    ]);
    addNote(
      command,
      'Ralph opens the request with `gh` if it is installed, else through the GitHub API with GH_TOKEN or GITHUB_TOKEN (GITHUB_API_URL sets its address). Without a remote, without either way, or on another forge, nothing is pushed: the text and a patch are written into the folder of the run.',
    );
  },
  perform,
};

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const { cwd, env, terminal, loadApp } = context;
  const read = await readView(context, args[0]);
  if (read.view.end === null) {
    throw new RalphError({
      code: 'pr-unfinished',
      what: `Run ${read.view.runId} has not ended, so there is nothing to open a pull request for yet.`,
      fix: `Continue it: ralph resume ${read.view.runId}. End it: ralph stop ${read.view.runId}`,
    });
  }
  const title = options['title'] === undefined ? toTitle(read) : String(options['title']);

  const text = (name: string): string | null => (options[name] === undefined ? null : String(options[name]));
  const isDry = options['dryRun'] === true;
  const app = await loadApp();
  const body = toReviewMarkdown(await app.reviewRun(cwd, read.view.runId, env));
  const order = { run: read.view.runId, title, body, base: text('base'), remote: text('remote'), isDry };
  const report = await app.offerRun(cwd, order, env);
  if (options['format'] === 'json') printJson(terminal, { v: 1, isDry, title, body, ...report });
  else if (isDry) printPlan(terminal, report, title, body);
  else print(terminal, report);
  return 0;
}

const TITLE_CHARS = 72;

function toTitle({ view, reader }: ReadRun): string {
  const line = maskControls(reader.redact(cleanText(view.objective)).trim().split('\n')[0] ?? '').trim();
  if (line === '') return `Run ${view.runId}`;
  return shorten(line, TITLE_CHARS);
}

function printPlan(
  terminal: Terminal,
  { branch, base, commits, remote, pushUrl, way, why }: App.PullRequestReport,
  title: string,
  body: string,
): void {
  const target = `${maskControls(branch)} (${toCount(commits, 'commit')})`;
  printProse(
    terminal,
    way === 'files'
      ? `Would write the text and a patch of ${target} into the folder of the run: ${why}.`
      : `Would push ${target} to ${maskControls(remote ?? '')}, ${maskControls(pushUrl)}, and open a draft into ${maskControls(base)} ${way === 'gh' ? 'by gh' : 'by the API of GitHub'}.`,
  );
  terminal.out(`\n${maskControls(title)}\n\n${body}`);
}

function print(terminal: Terminal, report: App.PullRequestReport): void {
  const { way, why, branch, remote, pushUrl, url, isOld, bodyFile, patchFile, base } = report;
  if (way === 'files') {
    printProse(terminal, `No pull request was opened: ${why}. Its text and all that was changed are in files:`);
    terminal.out(`  ${maskControls(bodyFile ?? '')}\n  ${maskControls(patchFile ?? '')}\n`);
    return;
  }
  printProse(terminal, `Pushed ${maskControls(branch)} to ${maskControls(remote ?? '')}, ${maskControls(pushUrl)}.`);
  printProse(
    terminal,
    `${isOld ? 'There is a pull request already' : `A draft into ${maskControls(base)} is open`}: ${maskControls(url ?? '')}`,
  );
}
