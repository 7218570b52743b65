import { Option } from 'commander';
import { toDurationText } from '../../../core/text/duration.ts';
import { toPlainLine } from '../../../views/text/plain-text.ts';
import { addFleetOption } from '../../args/fleet-options.ts';
import { addExamples } from '../../args/help.ts';
import { RUN_ARGUMENT } from '../../args/options.ts';
import type { AppContext, CliCommand } from '../../cli-command.ts';
import { findReadFleet } from '../../runs/find-steered.ts';
import { type ReadWish, readInFolder } from '../../runs/read-in-folder.ts';
import { printJson } from '../../terminal/terminal.ts';

export const asksCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(...RUN_ARGUMENT)
      .addOption(new Option('--format <format>', 'text for people, json for programs').choices(['text', 'json']).default('text'));
    addFleetOption(command);
    addExamples(command, [
      ['ralph asks', 'what the run under way asks you'],
      ['ralph asks --format json', 'the same for programs'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const away = options['fleet'] === undefined ? await findReadFleet(context, args[0]) : null;
    const wish: ReadWish = { fleet: options['fleet'], run: args[0], ...away, files: 'later' };
    return readInFolder(context, wish, (where, run) => list(where, run, options['format'] === 'json'));
  },
};

async function list({ cwd, terminal, loadApp }: AppContext, run: string | undefined, isJson: boolean): Promise<number> {
  const { runId, isRunAlive, open } = (await loadApp()).listQuestions(cwd, run);
  if (isJson) {
    printJson(terminal, { v: 1, run: runId, alive: isRunAlive, open });
    return 0;
  }
  if (open.length === 0) terminal.out(`${runId} asks nothing.\n`);
  for (const { id, hat, text, choices, default: fallback, dueAt } of open) {
    const left = dueAt - Date.now();
    terminal.out(`${id}  ${hat}: ${toPlainLine(text, 2000)}\n`);
    terminal.out(`    ralph answer ${id} ${choices.map((choice) => toPlainLine(choice, 60)).join('|')}\n`);
    terminal.out(`    ${toPlainLine(fallback, 60)} counts ${left > 0 ? `in ${toDurationText(left)}` : 'as soon as the run goes on'}\n`);
  }
  return 0;
}
