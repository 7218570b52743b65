import { END_REASONS, type StopRequested } from '../core/index.ts';
import type { Lock } from '../journal/index.ts';
import { type LoopStart, runLoop } from '../loop/shell/index.ts';
import { killAllStarted } from '../process/index.ts';
import { type AssembledRun, type RunParts, toPlainEnvironment } from './assemble-run.ts';
import { notifyEnd } from './notify-end.ts';
import type { RunEnd, RunHandle } from './run-api.ts';
import { clearStopWish, watchStopWish } from './stop-file.ts';

/** Starts the loop of an assembled run and cleans up behind it, whatever happens. */
export function driveRun(parts: RunParts, run: AssembledRun, start: LoopStart, locks: readonly Lock[]): RunHandle {
  const { paths, file } = parts;
  const loop = runLoop(run.ports, run.settings, start);
  const stop = (how: StopRequested['how'], by: string): void => loop.post({ type: 'stop-requested', at: run.ports.clock.now(), how, by });
  const unwatch = watchStopWish(paths.folder, (wish) => stop(wish === 'now' ? 'interrupt' : 'after-iteration', 'ralph stop'));
  // A defect or a failed assertion must not leave agents behind that nobody watches.
  process.once('exit', killAllStarted);
  const outcome = loop.outcome.then(async ({ reason, detail, state }): Promise<RunEnd> => {
    unwatch();
    await run.workspace.settle();
    await parts.ground.close();
    run.ports.journal.close();
    clearStopWish(paths.folder);
    for (const lock of locks) release(lock);
    process.removeListener('exit', killAllStarted);
    return { reason, detail, exitCode: END_REASONS[reason].exitCode, state };
  });
  const notify = (end: RunEnd, abort?: AbortSignal): Promise<string | null> =>
    notifyEnd({
      runId: paths.runId,
      cwd: file.workspace,
      settings: file.settings,
      end,
      env: toPlainEnvironment(parts.env),
      ...(abort && { abort }),
    });
  return { runId: paths.runId, runFolder: paths.folder, workspace: file.workspace, stop, outcome, notify };
}

/** A lock that cannot be removed will be found stale: its owner is gone then. */
export function release(lock: Lock): void {
  try {
    lock.release();
  } catch {
    return;
  }
}
