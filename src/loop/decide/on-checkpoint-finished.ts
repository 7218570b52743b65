import type { CheckpointFinished } from '../../core/run/inputs.ts';
import { change, type LoopStep, notify } from './step.ts';

export function onCheckpointFinished(step: LoopStep, input: CheckpointFinished): void {
  if (step.state.checkpointing === input.iteration) change(step, { checkpointing: null });
  if (input.leftOut.length > 0 && step.state.status !== 'ended') {
    notify(
      step,
      'info',
      'checkpoint-left-out',
      `Left out of the checkpoint, because you had changed them before the run: ${input.leftOut.join(', ')}.`,
    );
  }
}
