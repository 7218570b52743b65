import { addExamples } from '../args/help.ts';
import { RUN_ARGUMENT } from '../args/options.ts';
import type { CliCommand } from '../cli-context.ts';

/** `ralph token`. */
export const tokenCommand: CliCommand = {
  declare: (command) => {
    command.argument(RUN_ARGUMENT[0], 'a run: its id or the beginning of it; without it: the one that is under way, else the newest');
    addExamples(command, [
      ['ralph token', 'a token for the run that is under way, to be called in a terminal'],
      ['RALPH_TOKEN=… ralph emit review.rejected "no test"', 'publish where there is no terminal, such as in a script'],
      ['RALPH_TOKEN=… ralph stop', 'the same for the end of the run'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { args }) => {
    const [run] = args;
    terminal.out(`${(await loadApp()).giveToken(cwd, run, env)}\n`);
    return 0;
  },
};
