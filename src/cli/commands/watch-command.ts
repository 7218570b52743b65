import { toWhereText } from '../../views/report/elsewhere-report.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addFleetOption } from '../args/fleet-options.ts';
import { addExamples, addNote } from '../args/help.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
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
      .option('--read-only', 'do not tell, answer or stop anything from here');
    addFleetOption(command);
    addNote(command, NOTE);
    addExamples(command, [
      ['ralph watch', 'the run that is under way in this folder'],
      ['ralph watch 20261121-22', 'a particular run, past ones too'],
      ['ralph watch --read-only', 'watch without steering'],
      ['ralph watch --fleet nats://10.0.0.5:4222', 'a run on another machine of that fleet'],
      ['ACCESSIBLE=1 ralph watch', 'lines, for screen readers'],
    ]);
  },
  perform: async (context, { args, options }) => {
    const found = options['fleet'] === undefined ? await findWatched(context, args[0]) : null;
    const away = found !== null && isFollowed(context, found) ? found : null;
    const named = { fleet: away?.url ?? options['fleet'], run: away?.runId ?? args[0] };
    const wish: ReadWish = { ...named, files: 'later', namesCommands: true, catchesSignals: true };
    return readInFolder(context, wish, (where, run, copy) => watch(where, run, options['readOnly'] === true, { copy, found }));
  },
};

type AskedPlace = Awaited<ReturnType<typeof findRunElsewhere>>;

async function findWatched(context: AppContext, run: string | undefined): Promise<AskedPlace> {
  const reader = (await context.loadWatch()).openRunReader(context.cwd, run, context.env);
  if (reader.isAlive || reader.fleet() === null) return null;
  return findRunElsewhere(context, await readView(context, run));
}

/** A run of this folder that goes on elsewhere is followed there, which is said. Lines wait there for the process that continues one that nobody has; a view is of the folder here, where it can be resumed. */
function isFollowed(context: AppContext, away: NonNullable<AskedPlace>): boolean {
  const isAlone = away.state === 'lost' || away.state === 'left';
  if (!(away.state === 'held' || (isAlone && context.openFullScreen === null))) return false;
  const place = away.state === 'left' ? 'has no process now' : toWhereText(away);
  context.terminal.err(
    `Run ${away.runId} ${place}: it is followed ${away.state === 'held' ? 'there, ' : ''}over its fleet at ${toPlainLine(away.fleet, 200)}.\n`,
  );
  return true;
}

const NOTE =
  'Closing or losing the view does not affect the run. ? shows its keys (docs/guide/watch.md). In a pipe, with TERM=dumb or ACCESSIBLE=1 it prints a line for each step instead, and waits for the process that continues a run of a fleet that nobody has.';

interface Watched {
  readonly copy: Parameters<Parameters<typeof readInFolder>[2]>[2];
  /** Where it was when it was asked. */
  readonly found: AskedPlace;
}

async function watch(context: AppContext, run: string | undefined, isReadOnly: boolean, { copy, found }: Watched): Promise<number> {
  const { cwd, env, openFullScreen, loadWatch } = context;
  const app = await loadWatch();
  const { runId, ...reader } = app.openRunReader(cwd, run, env);
  if (openFullScreen === null) {
    const code = await followLines(context, { runId, ...reader }, () => copy?.isOpen(runId) === true);
    if (code === 0) await printNow(context, runId);
    return code;
  }
  const watched = app.openWatchedRun(cwd, runId, env, 'view', copy?.steeringOf(runId));
  const end = await showView(context, await openFullScreen(), { run: watched, isReadOnly, greeting: '', closesAtEnd: false });
  // A terminal that was closed reads nothing any more. The view has asked where the run is: a fleet that says nothing holds up nobody who leaves.
  if (end !== 'hangup')
    await printStatus(context, await readView(context, runId), copy === null ? (watched.facts().elsewhere ?? found) : null);
  return toSignalCode(end) ?? 0;
}

async function printNow(context: AppContext, runId: string): Promise<void> {
  const read = await readView(context, runId);
  await printStatus(context, read, await findRunElsewhere(context, read));
}
