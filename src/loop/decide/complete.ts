import { type Activation, type EventDraft, type IterationEnded, TOPIC_COMPLETE } from '../../core/index.ts';
import { refuseEnd } from './accept-signals.ts';
import { askGates, gatesOnEnd } from './guard-events.ts';
import { holdCompletion } from './hear-people.ts';
import { recordDraft } from './publish.ts';
import { change, endRun, notify, type Step } from './step.ts';

/**
 * Somebody who may end the run says that the work is done: required events, people who wait to be heard, then gates, then the end
 * (decisions, sections 5 and 8).
 *
 * @returns true if the completion was taken up (the run ended, or gates were asked); false if it was refused at once
 */
export function claimCompletion(
  step: Step,
  activation: Activation,
  {
    completion,
    drafts,
    input,
  }: { readonly completion: EventDraft; readonly drafts: readonly EventDraft[]; readonly input: IterationEnded },
): boolean {
  const missing = findMissing(step, drafts);
  if (missing.length > 0) {
    const words = `these events must have been published first: ${missing.join(', ')}`;
    refuseEnd(step, activation.hat, completion.topic, 'required-events', words);
    notify(step, 'warning', 'required-events', `Completion by ${activation.hat} refused: ${words}.`);
    return false;
  }
  if (holdCompletion(step, completion)) return false;
  const { hat, iteration } = activation;
  flagIdleClaim(step, activation, input);
  const gates = gatesOnCompletion(step, hat, drafts);
  if (gates.length === 0) complete(step, completion, drafts);
  else askGates(step, { hat, iteration, drafts, completion, gates });
  return true;
}

/**
 * Somebody says that the work is done in a turn that neither used a tool, but to say so, nor changed a file: true, perhaps, but not seen in this turn.
 */
function flagIdleClaim(step: Step, activation: Activation, { toolCalls, signalCalls = 0, treeChanged }: IterationEnded): void {
  if (toolCalls === null || toolCalls > signalCalls || treeChanged !== false) return;
  const { hat, iteration, feedback } = activation;
  // The work may have been done in the turn that was interrupted.
  if (feedback.some(({ kind }) => kind === 'withdrawn')) return;
  const butTo = signalCalls > 0 ? ' but to say so' : '';
  const words = `${hat} claimed completion in iteration ${iteration} without a tool call${butTo} and without a change.`;
  notify(step, 'warning', 'idle-completion', words);
}

/** The gates before the end, and those on a required event that the same turn brought: it counts only if they let it through. */
export function gatesOnCompletion(step: Step, hat: string, drafts: readonly EventDraft[]): readonly number[] {
  const { seenRequired } = step.state;
  const { requiredEvents } = step.topology.spec;
  const claimed = drafts.map((draft) => draft.topic).filter((topic) => requiredEvents.includes(topic) && !seenRequired.includes(topic));
  return gatesOnEnd(step, hat, [TOPIC_COMPLETE, ...claimed]);
}

function findMissing(step: Step, drafts: readonly EventDraft[]): readonly string[] {
  const published = new Set([...step.state.seenRequired, ...drafts.map((draft) => draft.topic)]);
  return step.topology.spec.requiredEvents.filter((topic) => !published.has(topic));
}

/** Ends the run as completed. Completion wins over whatever else was said or is pending: that is recorded and handed to nobody. */
export function complete(step: Step, completion: EventDraft, drafts: readonly EventDraft[]): void {
  const held = step.state.gateWaits.flatMap((wait) => wait.drafts);
  change(step, { gateWaits: [] });
  for (const draft of [...drafts, ...held]) recordDraft(step, draft, 'undelivered');
  recordDraft(step, completion, 'terminal');
  const waiting = step.state.pending.map((entry) => `${entry.event.topic} (for ${entry.hat})`);
  if (waiting.length > 0) notify(step, 'info', 'undelivered-events', `Not delivered any more: ${waiting.join(', ')}.`);
  endRun(step, 'completed', `${completion.source} declared the work complete`);
}
