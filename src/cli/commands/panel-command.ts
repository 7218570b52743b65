import { toElsewhereReport } from '../../views/report/elsewhere-report.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { parseRunAndTurn } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { findRunElsewhere } from '../runs/find-steered.ts';
import { performPanelAnswer, performPanelVote } from '../runs/panel-hand-in.ts';
import { readView } from '../runs/read-run.ts';
import { findPanel, printPanel, toPanelRecord } from '../runs/show-panel.ts';
import { printJson } from '../terminal/terminal.ts';

/** `ralph panel`. */
export const panelCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(
        '[action]',
        'show: the agents of a panel, what they answered and how they voted (the default); answer, vote: what an agent hands in',
      )
      .argument('[words...]', 'show: [run] [iteration]; answer: the text, or - for standard input; vote: agent2 and why')
      .option('--run <run>', 'show: the run, as an option instead of an argument')
      .option('--answers', 'show: print whole answers')
      .option('--file <file>', 'answer: a file with it')
      .option('--topic <topic>', 'answer: the topic to publish if it wins');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object, with whole answers');
    addNote(command, NOTE);
    addExamples(command, [
      ['ralph panel show', 'the newest panel of the newest run'],
      ['ralph panel show 7', 'that of its iteration 7'],
      ['ralph panel show 20261121-22 7 --answers', 'that of another run, with every word of its answers'],
      ['ralph panel show --format json | jq .panel.outcome', 'for programs'],
      ['ralph panel answer "The cache is cold: …" --topic analysis.done', 'an agent hands in its answer'],
      ['ralph panel answer --file answer.md', 'a long one'],
      ['ralph panel vote agent2 "it is measured, and short"', 'an agent votes'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const [action = 'show', ...words] = args.flat().filter((word) => word !== undefined);
    switch (action) {
      case 'show':
        return show(context, words, options);
      case 'answer':
        return performPanelAnswer(context, { words, options });
      case 'vote':
        return performPanelVote(context, { words, options });
      default:
        throw createUsageError(
          `ralph panel does not know ${JSON.stringify(action.slice(0, 40))}.`,
          'It knows show, and for agents answer and vote: ralph panel show',
        );
    }
  },
};

async function show(context: AppContext, words: readonly string[], options: CommandCall['options']): Promise<number> {
  const named = typeof options['run'] === 'string' ? [options['run']] : [];
  if (words.length + named.length > 2) throw createUsageError('Too many words.', 'A run and an iteration: ralph panel show 20261121-22 7');
  const { run, turn } = parseRunAndTurn([...named, ...words]);
  const { terminal, now } = context;
  const shown = { ...(await readView(context, run)), terminal, now };
  const elsewhere = await findRunElsewhere(context, shown);
  if (elsewhere !== null) {
    const { headline, rows } = toElsewhereReport(shown.view, { headline: '', isGood: false, rows: [] }, elsewhere, shown.isNewest);
    terminal.err(`${headline} ${rows.map(({ text }) => text).join(' ')}\n`);
  }
  const found = findPanel(shown, turn);
  if (options['format'] === 'json') printJson(terminal, toPanelRecord(shown, found));
  else printPanel(shown, found, options['answers'] === true);
  return 0;
}

const NOTE =
  'An agent hands in while it works on a prompt of its panel: the verdict is printed, and the exit code says whether it was accepted (0). Questions to a person are answered with `ralph answer`.';
