import type { Stopping } from '../../core/index.ts';
import { change, order, type Step } from './step.ts';

/**
 * Asks the running turns to end; the run ends when they have. The first reason stays.
 *
 * @returns false if no turn runs
 */
export function stopTurns(step: Step, stopping: Stopping, force: boolean): boolean {
  if (step.state.activations.length === 0) return false;
  change(step, { stopping: step.state.stopping ?? stopping });
  for (const { iteration, attempt } of step.state.activations) order(step, { type: 'iteration-stop', iteration, attempt, force });
  return true;
}
