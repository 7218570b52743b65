import type { EnvironmentFailed } from '../../core/run/inputs.ts';
import { endRun, type LoopStep, stopTurns } from './step.ts';

/** The workspace or the storage is gone: the running turn is ended at once, then the run. */
export function onEnvironmentFailed(step: LoopStep, input: EnvironmentFailed): void {
  const stopping = {
    reason: input.what === 'workspace' ? ('workspace_gone' as const) : ('storage_failed' as const),
    detail: input.message,
  };
  if (!stopTurns(step, stopping, true)) endRun(step, stopping.reason, stopping.detail);
}
