import type { RunRecord } from '../../core/run/run-record.ts';
import { tryOr } from '../../core/values/result.ts';
import type { RunReader } from '../../runs/run-api.ts';
import { createRunViewFold } from '../../views/fold/fold-run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { isNewestRun } from '../runs/read-run.ts';
import { OutputClosed } from '../terminal/terminal.ts';
import { catchSignals, toStoppedBy } from './signals.ts';
import { createTextPrinter } from './text-printer.ts';

/** How often the process of a run is looked for. */
const LOOK_MS = 1000;

/**
 * Prints what happens in a run, a line for each step with the time at which it was, from its beginning until it has ended, its process is gone, or nobody listens any
 * more: for screen readers, files and terminals on which nothing can be drawn over.
 *
 * @param isOpen whether somebody may go on with it though its process is gone: that is waited for
 * @returns the exit code that a signal gave it; 0 without one
 */
export async function followLines(context: CliContext, reader: RunReader, isOpen: () => boolean = () => false): Promise<number> {
  const { terminal, signals, cwd, env, loadWatch } = context;
  const app = await loadWatch();
  const done = new AbortController();
  const caught = catchSignals(signals, null);
  let exitCode = 0;
  caught.attach((how) => {
    exitCode = toStoppedBy(how);
    done.abort();
  });
  const lines = createLines(context, reader, isNewestRun(context, app, reader.runId));
  const isAlive = (): boolean => {
    // It was taken away; who asks for it next says so.
    return tryOr(() => app.openRunReader(cwd, reader.runId, env).isAlive, false);
  };
  let isAlone = false;
  const look = context.every(LOOK_MS, () => {
    const wasAlone = isAlone;
    isAlone = !isAlive();
    if (terminal.isClosed() || (isAlone && !isOpen())) done.abort();
    else if (isAlone && !wasAlone) terminal.err(toAloneText(reader.runId));
  });
  try {
    await reader.follow(lines.take, done.signal);
  } finally {
    look();
    lines.stop();
    caught.release();
  }
  if (terminal.isClosed()) throw new OutputClosed();
  return exitCode;
}

function toAloneText(runId: string): string {
  return `Nobody has run ${runId} now, and it has not ended. Waiting for a worker that continues lost runs, or for \`ralph resume ${runId}\`. Ctrl+C stops waiting.\n`;
}

/** A printer of a run that somebody else carries out. */
function createLines(context: CliContext, { runId, runFolder, workspace, fleet }: RunReader, isNewest: boolean) {
  const fold = createRunViewFold();
  const timers = new Set<() => void>();
  let at: number | null = null;
  const printer = createTextPrinter(
    {
      terminal: { ...context.terminal, canMove: false },
      // A step has the time at which it was, not that at which it is read.
      now: () => at ?? context.now(),
      every: (periodMs, call) => {
        const stop = context.every(periodMs, call);
        timers.add(stop);
        return stop;
      },
    },
    { verbose: false },
  );
  let isBegun = false;
  const take = (record: RunRecord): void => {
    fold.take(record);
    at = record.kind === 'input' ? record.input.at : record.kind === 'effect' ? record.at : null;
    if (!isBegun) {
      const place = { runId, runFolder, workspace: workspace() ?? context.cwd, reach: '', fleet: fleet() };
      printer.begin({ ...place, isNewest, isElsewhere: true, view: fold.view(), progress: fold.progress });
    }
    isBegun = true;
    printer.show(record, record.kind === 'input' || record.kind === 'effect' ? fold.turnOf(record) : null);
    at = null;
  };
  return {
    take,
    stop: () => {
      for (const stop of timers) stop();
    },
  };
}
