import { addExamples } from '../args/help.ts';
import { addFormatOption } from '../args/options.ts';
import { parseRunAndTurn } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliCommand } from '../cli-context.ts';
import { readView } from '../runs/read-run.ts';
import { findPanel, printPanel, toPanelRecord } from '../runs/show-panel.ts';
import { printJson } from '../terminal/terminal.ts';

/** `ralph panel`. */
export const panelCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[action]', 'show: the agents of a panel, what they answered and how they voted (the default)')
      .argument('[run]', 'a run, by its id or the beginning of it; default: the one under way, else the newest')
      .argument('[iteration]', 'an iteration (7) or one attempt of it (7.2); default: the newest turn with a panel')
      .option('--answers', 'print whole answers');
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object, with whole answers');
    addExamples(command, [
      ['ralph panel show', 'the newest panel of the newest run'],
      ['ralph panel show 7', 'that of its iteration 7'],
      ['ralph panel show 20261121-22 7 --answers', 'that of another run, with every word of its answers'],
      ['ralph panel show --format json | jq .panel.outcome', 'for programs'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const [action = 'show', ...rest] = args;
    if (action !== 'show')
      throw createUsageError(`ralph panel does not know ${JSON.stringify(action.slice(0, 40))}.`, 'It knows only show: ralph panel show');
    const { run, turn } = parseRunAndTurn(rest);
    const { terminal, now } = context;
    const shown = { ...(await readView(context, run)), terminal, now };
    const found = findPanel(shown, turn);
    if (options['format'] === 'json') printJson(terminal, toPanelRecord(shown, found));
    else printPanel(shown, found, options['answers'] === true);
    return 0;
  },
};
