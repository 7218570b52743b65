import type { EventsReceived } from '../../core/run/inputs.ts';
import { hearPeople } from './hear-people.ts';
import { joinOpening } from './proceed.ts';
import { change, goOn, type LoopStep } from './step.ts';

/** Events from outside the run: from a person, or another program. They may publish what Ralph may. */
export function onEventsReceived(step: LoopStep, input: EventsReceived): void {
  change(step, { inboxOffset: input.inboxOffset, outsideOffset: input.outsideOffset ?? step.state.outsideOffset });
  hearPeople(step, input);
  if (input.opening !== undefined) joinOpening(step, input.opening);
  goOn(step);
}
