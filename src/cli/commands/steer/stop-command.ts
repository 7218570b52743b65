import { toEndedView, toNextStep } from '../../../views/report/index.ts';
import { addExamples } from '../../args/help.ts';
import { RUN_ARGUMENT } from '../../args/options.ts';
import type { CliCommand } from '../../cli-context.ts';
import { readView } from '../../runs/read-run.ts';

/** `ralph stop`. */
export const stopCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(RUN_ARGUMENT[0], 'a run, by its id or the beginning of it; default: the one under way')
      .option('--now', 'also end the running turn, instead of waiting for it');
    addExamples(command, [
      ['ralph stop', 'end the run after its running turn'],
      ['ralph stop --now', 'end it now; agents at work have 10 seconds to clean up'],
      ['ralph stop 20261121-22 --now', 'end a certain run now'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const { cwd, env, terminal, loadApp } = context;
    const app = await loadApp();
    const [run] = args;
    const now = options['now'] === true;
    const onWaiting = (runId: string): void => {
      terminal.err(`Run ${runId} is asked to stop${now ? ' now' : ' after its running turn (ralph stop --now does not wait for it)'} …\n`);
    };
    const { runId, stopped } = await app.stopRun({ cwd, env, now, onWaiting, ...(run === undefined ? {} : { run }) });
    if (!stopped) {
      terminal.err(`ralph: Run ${runId} has not stopped in time. See what it does: ralph status ${runId}. See its processes: ralph ps.\n`);
      return 1;
    }
    const { view: read, isNewest } = await readView(context, runId);
    // Without an end its process was killed meanwhile.
    const view = toEndedView(read, { reason: 'interrupted', detail: '' });
    terminal.out(`Run ${runId} has ${view.end?.reason === 'completed' ? 'completed' : 'stopped'}. ${toNextStep(view, isNewest)}\n`);
    return 0;
  },
};
