import { toReviewMarkdown } from '../../views/review/review-markdown.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples } from '../args/help.ts';
import { addFormatOption, RUN_ARGUMENT } from '../args/options.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { printReview } from '../runs/print-report.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { printJson } from '../terminal/terminal.ts';

/** Lines of a terminal that is as small as they come. */
const SCREEN_LINES = 24;

export const reviewCommand: CliCommand = {
  declare: (command) => {
    command.argument(...RUN_ARGUMENT).option('--full', 'everything: each verdict, file and commit, and what was said');
    addFormatOption(command, ['text', 'json', 'md'], 'text for people, json for programs, md for the description of a pull request');
    addFleetOption(command);
    addExamples(command, [
      ['ralph review', 'the newest run on one screen: what is proven, what to read first, what to type next'],
      ['ralph review --full', 'everything about it'],
      ['ralph review 20261121-22 --format md > review.md', 'a particular run as Markdown, safe to show anywhere'],
      ['ralph review --format json | jq .evidence', 'for programs'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const wish: ReadWish = { fleet: options['fleet'], run: args[0], files: 'first', namesCommands: options['format'] === 'text' };
    return readInFolder(context, wish, (where, run) => review(where, run, options));
  },
};

async function review(
  { cwd, env, terminal, loadApp }: AppContext,
  run: string | undefined,
  options: CommandCall['options'],
): Promise<number> {
  const app = await loadApp();
  const review = await app.reviewRun(cwd, run, env);
  if (options['format'] === 'json') printJson(terminal, review);
  else if (options['format'] === 'md') terminal.out(toReviewMarkdown(review));
  else printReview(terminal, review, options['full'] === true ? null : SCREEN_LINES);
  return 0;
}
