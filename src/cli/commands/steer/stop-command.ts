import type { KeptWord } from '../../../runs/run-api.ts';
import { toUnheardText } from '../../../views/report/elsewhere-report.ts';
import { toNextStep } from '../../../views/report/next-step.ts';
import { toEndedView } from '../../../views/report/run-status.ts';
import { addFleetOption } from '../../args/fleet-options.ts';
import { addExamples } from '../../args/help.ts';
import { RUN_ARGUMENT } from '../../args/options.ts';
import type { CliCommand } from '../../cli-command.ts';
import type { CliContext } from '../../cli-context.ts';
import { findSteered } from '../../runs/find-steered.ts';
import { readView } from '../../runs/read-run.ts';

export const stopCommand: CliCommand = {
  declare: (command) => {
    command
      .argument(RUN_ARGUMENT[0], 'a run, by its id or the beginning of it; default: the one under way')
      .option('--now', 'also end the running turn, instead of waiting for it');
    addFleetOption(command);
    addExamples(command, [
      ['ralph stop', 'end the run after the current turn'],
      ['ralph stop --now', 'end it now; agents at work have 10 seconds to clean up'],
      ['ralph stop 20261121-22 --now', 'end a particular run now'],
      ['ralph stop --fleet nats://10.0.0.5:4222', 'end the run of that fleet, on whatever machine it is'],
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
    const away = await findSteered(context, options['fleet'], run, true);
    if (away !== null) {
      const end = await app.stopFleetRun({ ...away, now, onWaiting });
      if (end.kept !== undefined) return tellKept(context, end.runId, end.kept);
      if (!end.stopped) return tellNotStopped(context, end.runId, 'Who has it: ralph fleet runs');
      const next = end.isComplete ? '' : ` Go on with it: ralph resume ${end.runId} in its folder, or with --fleet in an empty one.`;
      terminal.out(`Run ${end.runId} has ${end.isComplete ? 'completed' : 'stopped'}.${next}\n`);
      return 0;
    }
    const { runId, stopped } = await app.stopRun({ cwd, env, now, onWaiting, ...(run === undefined ? {} : { run }) });
    if (!stopped) return tellNotStopped(context, runId, `See what it does: ralph status ${runId}. See its processes: ralph ps.`);
    const { view: read, isNewest } = await readView(context, runId);
    // Without an end its process was killed meanwhile.
    const view = toEndedView(read, { reason: 'interrupted', detail: '' });
    terminal.out(`Run ${runId} has ${view.end?.reason === 'completed' ? 'completed' : 'stopped'}. ${toNextStep(view, isNewest)}\n`);
    return 0;
  },
};

/** A run that nobody has does nothing. One whose process lives goes on. */
function tellKept({ terminal }: Pick<CliContext, 'terminal'>, runId: string, { unansweredMs }: KeptWord): number {
  const later = 'A worker that goes on with it by itself stops it at once';
  if (unansweredMs === null) {
    terminal.out(`Nobody has run ${runId} now. ${later}; go on with it yourself: ralph resume ${runId}\n`);
    return 0;
  }
  terminal.err(
    `ralph: Run ${runId} has not stopped: ${toUnheardText(unansweredMs)}. ${later}. End that process where it is; who has it: ralph fleet runs\n`,
  );
  return 1;
}

function tellNotStopped({ terminal }: Pick<CliContext, 'terminal'>, runId: string, fix: string): number {
  terminal.err(`ralph: Run ${runId} has not stopped in time. ${fix}\n`);
  return 1;
}
