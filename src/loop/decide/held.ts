import type { EventDraft } from '../../core/events/event.ts';
import type { GateWait } from '../../core/run/state.ts';
import { holdCompletion } from './complete.ts';
import { proveCompletion } from './prove-completion.ts';
import { askGates, askHooks, publishEvents } from './publish.ts';
import { change, type Step } from './step.ts';

/** Asks all that was not asked while turns ran at the same time, in the order in which they ended. A completion may end the run. */
export function releaseHeld(step: Step): void {
  while (step.state.status !== 'ended') {
    const wait = step.state.gateWaits.find(({ isHeld }) => isHeld === true);
    if (wait === undefined) break;
    change(step, { gateWaits: step.state.gateWaits.filter((entry) => entry !== wait) });
    step.iteration = wait.iteration;
    if (wait.completion === null) askGates(step, wait);
    else releaseClaim(step, wait, wait.completion);
  }
  step.iteration = null;
}

function releaseClaim(step: Step, { hat, iteration, drafts }: GateWait, completion: EventDraft): void {
  if (holdCompletion(step, completion)) return publishEvents(step, { hat, iteration, drafts });
  const claim = { hat, iteration, drafts, completion };
  if (step.topology.spec.hooked?.complete.includes(hat) === true) askHooks(step, { ...claim, hooks: 'CompletionRequested' });
  else proveCompletion(step, claim);
}
