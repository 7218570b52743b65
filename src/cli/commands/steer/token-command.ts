import { addExamples } from '../../args/help.ts';
import { RUN_ARGUMENT } from '../../args/options.ts';
import type { CliCommand } from '../../cli-command.ts';

export const tokenCommand: CliCommand = {
  declare: (command) => {
    command.argument(RUN_ARGUMENT[0], 'a run, by its id or the beginning of it; default: the one under way, else the newest');
    addExamples(command, [
      ['ralph token', 'a token for the run under way; call this in a terminal'],
      ['RALPH_TOKEN=… ralph emit review.rejected "no test"', 'publish without a terminal, such as in a script'],
      ['RALPH_TOKEN=… ralph stop', 'stop the run without a terminal'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { args }) => {
    const [run] = args;
    terminal.out(`${(await loadApp()).giveToken(cwd, run, env)}\n`);
    return 0;
  },
};
