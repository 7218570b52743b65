import type { AppApi } from '../app-api.ts';
import type { CliContext } from '../cli-context.ts';
import { printStatus } from '../runs/print-status.ts';
import { readView } from '../runs/read-run.ts';
import { showView, toSignalCode } from './show-view.ts';

type Started = Awaited<ReturnType<AppApi['startDetached']>>;

const BELL = '\u0007';

const GREETING = 'The run goes on when you leave (q) or close the terminal; ralph watch comes back to it.';

/**
 * Shows a run that was started in a process of its own until it has ended or its person leaves. Signals to this process are passed on to it, but for that of a terminal
 * that closes.
 *
 * @returns the exit code of the run; 0 where it goes on
 */
export async function showStarted(context: CliContext, started: Started): Promise<number> {
  const { terminal, openFullScreen, cwd, env } = context;
  if (started.kind === 'ended' || openFullScreen === null) {
    if (started.kind === 'ended') terminal.err(started.output);
    return started.kind === 'ended' ? started.exitCode : 0;
  }
  const { runId, pid, exited } = started;
  const app = await context.loadApp();
  const run = app.openWatchedRun(cwd, runId, env);
  const signal = (name: 'SIGINT' | 'SIGTERM'): void => {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  };
  const end = await showView(context, await openFullScreen(), {
    run: {
      ...run,
      steer: {
        ...run.steer,
        // What ctrl+c means to a run: agents get ten seconds; the next one does not wait.
        stop: async (how) => {
          if (how === 'after') return run.steer.stop(how);
          signal('SIGINT');
          return { text: 'Stopping: agents at work have 10 seconds to clean up. The same again does not wait for them.', seq: null };
        },
      },
    },
    isReadOnly: false,
    greeting: GREETING,
    closesAtEnd: true,
    over: exited,
    onSignal: (how) => {
      if (how === 'hangup') return false;
      signal(how === 'terminate' ? 'SIGTERM' : 'SIGINT');
      return true;
    },
  });
  const hasEnded = run.history.view().end !== null || !app.openRun(cwd, runId, env).isAlive;
  const exitCode = hasEnded ? ((await outlast(exited)) ?? 1) : 0;
  // A terminal that was closed reads nothing any more.
  if (end !== 'hangup') {
    await printStatus(context, await readView(context, runId));
    if (hasEnded) terminal.out(BELL);
    else terminal.out(`It goes on. Come back to it: ralph watch ${runId}\n`);
  }
  return hasEnded ? exitCode : (toSignalCode(end) ?? 0);
}

/** The process of a run keeps nobody waiting by itself. */
async function outlast<Result>(end: Promise<Result>): Promise<Result> {
  const hold = setInterval(() => undefined, 1000);
  try {
    return await end;
  } finally {
    clearInterval(hold);
  }
}
