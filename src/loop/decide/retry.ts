import { type Activation, type TurnFailure, toDurationText } from '../../core/index.ts';
import { change, notify, type Step, setTimer } from './step.ts';

/**
 * Plans another attempt of the same iteration after a transient error, with exponential backoff.
 * @returns false when all attempts are used: then it is a failure like any other
 */
export function retryLater(step: Step, activation: Activation, failure: TurnFailure): boolean {
  const { maxAttempts, baseMs, maxMs } = step.topology.spec.retry;
  const { iteration, attempt, hat, events, feedback, fallback } = activation;
  if (attempt >= maxAttempts) return false;
  const waitMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  change(step, { plans: [{ retryOf: { iteration, attempt }, hat, events, feedback, fallback }, ...step.state.plans] });
  setTimer(step, step.at + waitMs, 'retry');
  notify(step, 'warning', 'transient-error', `${failure.message}: attempt ${attempt + 1} of ${maxAttempts} in ${toDurationText(waitMs)}.`);
  return true;
}
