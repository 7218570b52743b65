import type { Signal, SignalProblem } from '../../core/events/event.ts';
import { EXTERNAL } from '../../core/events/reserved.ts';
import { acceptSignals, publishEvents } from './publish.ts';
import { type LoopStep, notify, recordDraft } from './step.ts';

/** Publishes what people wrote, after the same checks and gates as any event. After the end of the run it is only recorded. */
export function hearPeople(
  step: LoopStep,
  { signals, problems }: { readonly signals: readonly Signal[]; readonly problems: readonly SignalProblem[] },
): void {
  for (const problem of problems.slice(0, 20)) notify(step, 'warning', 'unreadable-signal', `${problem.where}: ${problem.message}`);
  const { drafts } = acceptSignals(step, { hat: EXTERNAL, failed: false, finalText: '' }, signals);
  if (drafts.length === 0) return;
  if (step.state.end === null) return publishEvents(step, { hat: EXTERNAL, iteration: step.state.counters.iteration, drafts });
  for (const draft of drafts) recordDraft(step, draft, 'undelivered');
  const topics = drafts.map((draft) => draft.topic).join(', ');
  notify(step, 'warning', 'undelivered-events', `Published when the run was complete already, so nobody got it: ${topics}.`);
}
