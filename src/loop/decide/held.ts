import type { EventDraft } from '../../core/events/event.ts';
import type { GateWait } from '../../core/run/state.ts';
import { findMissing, holdCompletion, refuseIncomplete } from './complete.ts';
import { proveCompletion } from './prove-completion.ts';
import { askGates, askHooks, publishEvents } from './publish.ts';
import { change, type Step } from './step.ts';

/**
 * Asks all that was not asked while turns ran at the same time, in the order in which they ended. A completion may end the run. One that lacks a required
 * event waits for the gates and hooks that have it.
 */
export function releaseHeld(step: Step): void {
  while (step.state.status !== 'ended') {
    const wait = step.state.gateWaits.find((entry) => entry.isHeld === true && !isWaitingFor(step, entry));
    if (wait === undefined) break;
    change(step, { gateWaits: step.state.gateWaits.filter((entry) => entry !== wait) });
    step.iteration = wait.iteration;
    if (wait.completion === null) askGates(step, wait);
    else releaseClaim(step, wait, wait.completion);
  }
  step.iteration = null;
}

function isWaitingFor(step: Step, { completion, drafts }: GateWait): boolean {
  if (completion === null) return false;
  const coming = step.state.gateWaits.filter((wait) => wait.completion === null).flatMap((wait) => wait.drafts.map(({ topic }) => topic));
  return findMissing(step, drafts).some((topic) => coming.includes(topic));
}

function releaseClaim(step: Step, { hat, iteration, drafts }: GateWait, completion: EventDraft): void {
  if (refuseIncomplete(step, completion, drafts) || holdCompletion(step, completion))
    return publishEvents(step, { hat, iteration, drafts });
  const claim = { hat, iteration, drafts, completion };
  if (step.topology.spec.hooked?.complete.includes(hat) === true) askHooks(step, { ...claim, hooks: 'CompletionRequested' });
  else proveCompletion(step, claim);
}
