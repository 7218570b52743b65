import type { EndReason } from '../../core/run/end-reasons.ts';
import type { StopRequested } from '../../core/run/inputs.ts';
import { change, endRun, type LoopStep, stopTurns } from './step.ts';

const REASONS: Readonly<Record<StopRequested['how'], EndReason>> = {
  interrupt: 'interrupted',
  kill: 'interrupted',
  'after-iteration': 'interrupted',
  terminate: 'terminated',
  hangup: 'hangup',
};

/** Somebody wants the run to stop: after the turn, during it, or at once. */
export function onStopRequested(step: LoopStep, input: StopRequested): void {
  const { state } = step;
  const parked = state.status === 'parked' && input.how === 'after-iteration';
  const stopping = { reason: parked ? ('parked' as const) : REASONS[input.how], detail: `stopped by ${input.by}` };
  if (state.activations.length === 0) return endRun(step, stopping.reason, stopping.detail);
  if (input.how === 'after-iteration') return change(step, { stopping: state.stopping ?? stopping });
  stopTurns(step, stopping, input.how === 'kill');
}
