import { type EventsReceived, EXTERNAL } from '../../core/index.ts';
import { acceptSignals } from './accept-signals.ts';
import { guardEvents } from './guard-events.ts';
import { proceed } from './proceed.ts';
import { change, notify, type Step } from './step.ts';

/** Events from outside the run: from a person, or another program. They may publish what Ralph may. */
export function onEventsReceived(step: Step, input: EventsReceived): void {
  change(step, { inboxOffset: input.inboxOffset, outsideOffset: input.outsideOffset ?? step.state.outsideOffset });
  for (const problem of input.problems.slice(0, 20)) notify(step, 'warning', 'unreadable-signal', `${problem.where}: ${problem.message}`);
  const { drafts } = acceptSignals(step, { hat: EXTERNAL, failed: false, finalText: '' }, input.signals);
  if (drafts.length > 0) guardEvents(step, { hat: EXTERNAL, iteration: step.state.counters.iteration, drafts });
  proceed(step);
}
