import { toPersonHelp } from '../../core/backends/backend-spec.ts';
import { RALPH } from '../../core/events/reserved.ts';
import type { Activation } from '../../core/run/state.ts';
import { isHopeless, type TurnFailure } from '../../core/run/turn.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { planFirst } from './batch.ts';
import { change, endAfterTurns, type LoopStep, notify, setTimer, stopClock, toTurnPlace, wearerOf } from './step.ts';

/**
 * Plans another attempt of the same iteration after a transient error, with exponential backoff.
 * @returns false when all attempts are used: then it is a failure like any other
 */
export function retryLater(step: LoopStep, activation: Activation, failure: TurnFailure): boolean {
  const { maxAttempts, baseMs, maxMs } = step.topology.spec.retry;
  const { attempt } = activation;
  if (attempt >= maxAttempts) return false;
  const waitMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  planAgain(step, activation);
  setTimer(step, step.at + waitMs, 'retry');
  notify(step, 'warning', 'transient-error', `${failure.message}: attempt ${attempt + 1} of ${maxAttempts} in ${toDurationText(waitMs)}.`);
  return true;
}

function planAgain(step: LoopStep, { iteration, attempt, hat, events, feedback, fallback, copy, place }: Activation): void {
  const where = { ...(copy === undefined ? {} : { copy }), ...toTurnPlace({ place }) };
  planFirst(step, { retryOf: { iteration, attempt }, hat, events, feedback, fallback, ...where });
}

/** How long a run stays parked when nobody said when the limit resets. */
const UNKNOWN_RESET_MS = 15 * 60_000;
/** Waited beyond the announced reset. */
const RESET_SLACK_MS = 5_000;

/**
 * A usage limit is used up: the next backend of the hat's list takes over (`on_limit: switch`), or the run parks until the reset
 * (`wait`), or it ends as parked (`stop`). Counts no iteration: the attempt is made again under the same one.
 */
export function parkOrSwitch(step: LoopStep, activation: Activation, failure: TurnFailure): boolean {
  const { hat, backend } = activation;
  const { backends } = wearerOf(step, hat);
  planAgain(step, activation);
  const { onLimit } = step.topology.spec;
  if (onLimit === 'switch' && backend + 1 < backends.length) return switchBackend(step, hat, backend + 1);
  change(step, { backendOf: { ...step.state.backendOf, [hat]: 0 } });
  const waitMs = toWaitMs(step, activation, failure);
  const detail = `${failure.message}${failure.resetAt === undefined ? '' : ` (resets in ${toDurationText(waitMs)})`}`;
  if (onLimit === 'stop') {
    endAfterTurns(step, 'parked', detail);
    return true;
  }
  // While others work the run goes on, and is parked when they have ended.
  if (step.state.activations.length === 0) {
    stopClock(step);
    change(step, { status: 'parked' });
  }
  setTimer(step, step.at + waitMs, 'limit');
  notify(step, 'warning', 'usage-limit', `${detail}. The run is parked; it goes on by itself in ${toDurationText(waitMs)}.`);
  return true;
}

/** Until the announced reset; where that is over already, ever longer, so that a wrong clock does not make a busy loop. */
function toWaitMs(step: LoopStep, { attempt }: Activation, { resetAt }: TurnFailure): number {
  if (resetAt === undefined) return UNKNOWN_RESET_MS;
  if (resetAt > step.at) return resetAt - step.at + RESET_SLACK_MS;
  return Math.min(UNKNOWN_RESET_MS, RESET_SLACK_MS * 2 ** Math.min(attempt - 1, 30));
}

/**
 * An agent that cannot work, whatever is tried again: the next backend of the hat's list takes over, under the same iteration. Without one the run ends
 * as parked where only a person can help; a program that is not there is then a failure of the turn like any other, because Ralph or another hat may go on, unless
 * it is Ralph's: nobody is left who could.
 *
 * @returns whether that settles the turn
 */
export function replaceOrPark(step: LoopStep, activation: Activation, failure: TurnFailure): boolean {
  const { hat, backend } = activation;
  const { backends } = wearerOf(step, hat);
  const next = backends[backend + 1];
  const help = isHopeless(failure.class) ? failure.class : failure.isMissing === true && hat === RALPH ? 'missing' : null;
  if (next === undefined && help === null) return false;
  planAgain(step, activation);
  if (next !== undefined) {
    change(step, { backendOf: { ...step.state.backendOf, [hat]: backend + 1 } });
    notify(step, 'warning', 'backend-replaced', `${failure.message} ${hat} goes on with ${next}.`);
    return true;
  }
  const label = backends[backend] ?? hat;
  change(step, { backendOf: { ...step.state.backendOf, [hat]: 0 } });
  const attention = help === null ? '' : toPersonHelp(label, help);
  endAfterTurns(step, 'parked', `${hat} (${label}) cannot work: ${failure.message}`, attention);
  return true;
}

function switchBackend(step: LoopStep, hat: string, next: number): true {
  change(step, { backendOf: { ...step.state.backendOf, [hat]: next } });
  const label = wearerOf(step, hat).backends[next] ?? '';
  notify(step, 'warning', 'usage-limit', `The usage limit is reached; ${hat} goes on with ${label}.`);
  return true;
}
