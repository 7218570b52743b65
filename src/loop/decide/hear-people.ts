import { type EventDraft, EXTERNAL, type Signal, type SignalProblem } from '../../core/index.ts';
import { takersOf } from '../../topology/index.ts';
import { acceptSignals, reject } from './accept-signals.ts';
import { guardEvents } from './guard-events.ts';
import { recordDraft } from './publish.ts';
import { notify, type Step, tell } from './step.ts';

/** What people published: held against what they may publish and the gates, as any event. */
export function hearPeople(
  step: Step,
  { signals, problems }: { readonly signals: readonly Signal[]; readonly problems: readonly SignalProblem[] },
): void {
  for (const problem of problems.slice(0, 20)) notify(step, 'warning', 'unreadable-signal', `${problem.where}: ${problem.message}`);
  const { drafts } = acceptSignals(step, { hat: EXTERNAL, failed: false, finalText: '' }, signals);
  if (drafts.length === 0) return;
  if (step.state.end === null) return guardEvents(step, { hat: EXTERNAL, iteration: step.state.counters.iteration, drafts });
  for (const draft of drafts) recordDraft(step, draft, 'undelivered');
  const topics = drafts.map((draft) => draft.topic).join(', ');
  notify(step, 'warning', 'undelivered-events', `Published when the run was complete already, so nobody got it: ${topics}.`);
}

/**
 * A completion that is claimed while an event of a person waits does not stand: who takes the event gets it in the next turn, and is told who
 * declared completion; it counts when it is declared anew.
 *
 * @returns true if it was held
 */
export function holdCompletion(step: Step, completion: EventDraft): boolean {
  const waiting = step.state.pending.filter(({ event }) => event.source === EXTERNAL);
  const guarded = step.state.gateWaits.filter(({ hat }) => hat === EXTERNAL).flatMap(({ drafts }) => drafts);
  const topics = [...new Set([...waiting.map(({ event }) => event.topic), ...guarded.map(({ topic }) => topic)])];
  if (topics.length === 0) return false;
  const by = completion.source;
  reject(step, by, completion.topic, 'held', []);
  notify(step, 'info', 'completion-held', `${by} declared the work complete; first ${topics.join(', ')} from outside is delivered.`);
  const takers = guarded.flatMap(({ topic, target }) => (target === undefined ? takersOf(step.topology, topic) : [target]));
  for (const hat of new Set([by, ...waiting.map((entry) => entry.hat), ...takers]))
    tell(step, hat, { kind: 'completion-held', by, topics });
  return true;
}
