import { addExamples, type CliCommand, RUN_ARGUMENT } from '../cli-command.ts';

/** `ralph stop`. */
export const stopCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(RUN_ARGUMENT[0], 'a run: its id or the beginning of it; without it: the one that is under way')
      .option('--now', 'end the running turn too; without it the turn is finished first');
    addExamples(command, [
      ['ralph stop', 'end the run after its running turn'],
      ['ralph stop --now', 'end it now; the agent has 10 seconds to clean up'],
      ['ralph stop 20261121-22 --now', 'a certain run, now'],
    ]);
  },
  perform: async ({ cwd, env, terminal, loadApp }, { args, options }) => {
    const app = await loadApp();
    const [run] = args;
    const now = options['now'] === true;
    const onWaiting = (runId: string): void => {
      terminal.err(`Run ${runId} is asked to stop${now ? ' now' : ' after its running turn (ralph stop --now does not wait for it)'} …\n`);
    };
    const { runId, stopped } = await app.stopRun({ cwd, env, now, onWaiting, ...(run === undefined ? {} : { run }) });
    if (stopped) terminal.out(`Run ${runId} has stopped. Go on with: ralph resume\n`);
    else
      terminal.err(`ralph: Run ${runId} has not stopped in time. See what it does with ralph status; end its processes with ralph ps.\n`);
    return stopped ? 0 : 1;
  },
};
