import { toElsewhereText } from '../../views/report/elsewhere-report.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples, addNote } from '../args/help.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { WatchApi } from '../cli-context.ts';
import { followLines } from '../live/follow-lines.ts';
import { showView, toSignalCode } from '../live/show-view.ts';
import { findRunElsewhere } from '../runs/find-steered.ts';
import { printStatus } from '../runs/print-status.ts';
import { type ReadWish, readInFolder } from '../runs/read-in-folder.ts';
import { readView } from '../runs/read-run.ts';

/** `ralph watch`. */
export const watchCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[run]', 'a run, by its id or the beginning of it; default: the one under way, else the newest')
      .option('--read-only', 'tell, answer and stop nothing from here');
    addFleetOption(command);
    addNote(command, NOTE);
    addExamples(command, [
      ['ralph watch', 'the run that is under way in this folder'],
      ['ralph watch 20261121-22', 'a certain run; of the past, too'],
      ['ralph watch --read-only', 'look, and steer nothing'],
      ['ralph watch --fleet nats://10.0.0.5:4222', 'a run on another machine of that fleet'],
      ['ACCESSIBLE=1 ralph watch', 'lines, for screen readers'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const away = options['fleet'] === undefined ? await findWatched(context, args[0]) : null;
    const named = { fleet: away?.url ?? options['fleet'], run: away?.runId ?? args[0] };
    const wish: ReadWish = { ...named, files: 'later', namesCommands: true, catchesSignals: true };
    return readInFolder(context, wish, (where, run, copy) => watch(where, run, options['readOnly'] === true, copy?.steeringOf(run ?? '')));
  },
};

/** A run of this folder that goes on elsewhere is followed there, which is said. */
async function findWatched(context: AppContext, run: string | undefined): Promise<{ readonly url: string; readonly runId: string } | null> {
  const reader = (await context.loadWatch()).openRunReader(context.cwd, run, context.env);
  if (reader.isAlive || reader.fleet() === null) return null;
  const away = await findRunElsewhere(context, await readView(context, run));
  if (away?.state !== 'held') return null;
  context.terminal.err(
    `Run ${away.runId} goes on ${toElsewhereText(away)}: it is followed there, over its fleet at ${toPlainLine(away.fleet, 200)}.\n`,
  );
  return away;
}

const NOTE =
  'It only looks: closing it, or losing it, changes nothing of the run. ? shows its keys (docs/guide/watch.md). In a pipe, with TERM=dumb or ACCESSIBLE=1 it prints a line for each step instead.';

type SteeredBy = Parameters<WatchApi['openWatchedRun']>[4];

async function watch(context: AppContext, run: string | undefined, isReadOnly: boolean, steering: SteeredBy): Promise<number> {
  const { cwd, env, openFullScreen, loadWatch } = context;
  const app = await loadWatch();
  const { runId, ...reader } = app.openRunReader(cwd, run, env);
  if (openFullScreen === null) {
    const code = await followLines(context, { runId, ...reader });
    if (code === 0) await printNow(context, runId);
    return code;
  }
  const watched = app.openWatchedRun(cwd, runId, env, 'view', steering);
  const end = await showView(context, await openFullScreen(), { run: watched, isReadOnly, greeting: '', closesAtEnd: false });
  // A terminal that was closed reads nothing any more.
  if (end !== 'hangup') await printNow(context, runId);
  return toSignalCode(end) ?? 0;
}

async function printNow(context: AppContext, runId: string): Promise<void> {
  const read = await readView(context, runId);
  await printStatus(context, read, await findRunElsewhere(context, read));
}
