import type { CliContext } from '../cli-context.ts';
import { catchSignals } from './run-signals.ts';

/**
 * Does work that starts programs: Ctrl+C or a signal to end aborts it, so that it can end them, and it is waited for; a second Ctrl+C waits for nobody.
 *
 * @returns what the work gives, and the exit code of the command where it was stopped
 */
export async function untilStopped<Result>(
  { signals }: Pick<CliContext, 'signals'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly stoppedBy: 129 | 130 | 143 | null }> {
  const leaving = new AbortController();
  const caught = catchSignals(signals);
  let stoppedBy: 129 | 130 | 143 | null = null;
  caught.attach((how) => {
    stoppedBy ??= how === 'terminate' ? 143 : how === 'hangup' ? 129 : 130;
    leaving.abort();
    if (how !== 'kill') return;
    caught.release();
    process.kill(process.pid, 'SIGINT');
  });
  const result = await work(leaving.signal).finally(caught.release);
  return { result, stoppedBy };
}
