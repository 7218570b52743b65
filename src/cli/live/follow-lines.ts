import { createRunViewFold } from '../../views/fold/index.ts';
import type { CliContext } from '../cli-context.ts';
import { isNewestRun, type RunReader } from '../runs/read-run.ts';
import { OutputClosed } from '../terminal/terminal.ts';
import { catchSignals } from './signals.ts';
import { createTextPrinter } from './text-printer.ts';

/** How often the process of a run is looked for. */
const LOOK_MS = 1000;

/**
 * Prints what happens in a run, a line for each step, from its beginning until it has ended, its process is gone, or nobody listens any more: for screen readers,
 * files and terminals on which nothing can be drawn over.
 *
 * @returns the exit code that a signal gave it; 0 without one
 */
export async function followLines(context: CliContext, reader: RunReader): Promise<number> {
  const { terminal, signals, cwd, env, loadApp } = context;
  const app = await loadApp();
  const isNewest = isNewestRun(context, app, reader.runId);
  const fold = createRunViewFold();
  const printer = createTextPrinter({ ...context, terminal: { ...terminal, canMove: false } }, { verbose: false });
  const done = new AbortController();
  const caught = catchSignals(signals, null);
  let exitCode = 0;
  let isBegun = false;
  caught.attach((how) => {
    exitCode = how === 'terminate' ? 143 : how === 'hangup' ? 129 : 130;
    done.abort();
  });
  const look = setInterval(() => {
    if (terminal.isClosed() || !app.openRun(cwd, reader.runId, env).isAlive) done.abort();
  }, LOOK_MS);
  try {
    await reader.follow((record) => {
      fold.take(record);
      if (!isBegun) {
        const { runId, runFolder } = reader;
        printer.begin({
          runId,
          runFolder,
          workspace: reader.workspace() ?? cwd,
          reach: '',
          isNewest,
          view: fold.view(),
          progress: fold.progress,
        });
      }
      isBegun = true;
      printer.show(record, record.kind === 'input' || record.kind === 'effect' ? fold.turnOf(record) : null);
    }, done.signal);
  } finally {
    clearInterval(look);
    caught.release();
  }
  if (terminal.isClosed()) throw new OutputClosed();
  return exitCode;
}
