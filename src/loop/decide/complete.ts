import type { EventDraft } from '../../core/events/event.ts';
import { EXTERNAL, TOPIC_GUIDANCE } from '../../core/events/reserved.ts';
import type { GateWait } from '../../core/run/state.ts';
import { takersOf } from '../../topology/routing/queries.ts';
import { askGates, askHooks, gatesOnCompletion, publishEvents, refuseEnd } from './publish.ts';
import { change, endRun, type LoopStep, notify, recordDraft, reject, tell } from './step.ts';

/** Ends the run as completed. Completion wins over whatever else was said or is pending: that is recorded and handed to nobody. */
export function complete(step: LoopStep, completion: EventDraft, drafts: readonly EventDraft[]): void {
  const held = step.state.gateWaits.flatMap((wait) => wait.drafts);
  change(step, { gateWaits: [] });
  for (const draft of [...drafts, ...held]) recordDraft(step, draft, 'undelivered');
  recordDraft(step, completion, 'terminal');
  const waiting = step.state.pending.map((entry) => `${entry.event.topic} (for ${entry.hat})`);
  if (waiting.length > 0) notify(step, 'info', 'undelivered-events', `Not delivered any more: ${waiting.join(', ')}.`);
  endRun(step, 'completed', `${completion.source} declared the work complete`);
}

/**
 * Refuses a completion while required events are missing.
 *
 * @param drafts what the same turn published
 * @returns true if it was refused
 */
export function refuseIncomplete(step: LoopStep, { source, topic }: EventDraft, drafts: readonly EventDraft[]): boolean {
  const missing = findMissing(step, drafts);
  if (missing.length === 0) return false;
  const words = `these events must have been published first: ${missing.join(', ')}`;
  refuseEnd(step, source, topic, 'required-events', words);
  notify(step, 'warning', 'required-events', `Completion by ${source} refused: ${words}.`);
  return true;
}

/** The required events that neither the run has nor these are. */
function findMissing({ state, topology }: LoopStep, drafts: readonly EventDraft[]): readonly string[] {
  const published = new Set([...state.seenRequired, ...drafts.map((draft) => draft.topic)]);
  return topology.spec.requiredEvents.filter((topic) => !published.has(topic));
}

/**
 * Refuses a completion while an event of a person waits: who takes the event gets it in the next turn, and is told who declared completion. The
 * completion counts when it is declared again.
 *
 * @returns true if it was refused
 */
export function holdCompletion(step: LoopStep, completion: EventDraft): boolean {
  const waiting = step.state.pending.filter(({ event }) => event.source === EXTERNAL);
  const guarded = step.state.gateWaits.filter(({ hat }) => hat === EXTERNAL).flatMap(({ drafts }) => drafts);
  const told = step.state.tells.length > 0 ? [TOPIC_GUIDANCE] : [];
  const topics = [...new Set([...waiting.map(({ event }) => event.topic), ...guarded.map(({ topic }) => topic), ...told])];
  if (topics.length === 0) return false;
  const by = completion.source;
  reject(step, by, completion.topic, 'held', []);
  notify(step, 'info', 'completion-held', `${by} declared the work complete; first ${topics.join(', ')} from outside is delivered.`);
  const takers = guarded.flatMap(({ topic, target }) => (target === undefined ? takersOf(step.topology, topic) : [target]));
  for (const hat of new Set([by, ...waiting.map((entry) => entry.hat), ...takers]))
    tell(step, hat, { kind: 'completion-held', by, topics });
  return true;
}

interface CompletionClaim {
  readonly hat: string;
  readonly iteration: number;
  readonly drafts: readonly EventDraft[];
  readonly completion: EventDraft;
}

/** Asks the gates of a completion; without any the run ends. */
export function proveCompletion(step: LoopStep, { hat, iteration, drafts, completion }: CompletionClaim): void {
  const gates = gatesOnCompletion(step, hat, drafts);
  if (gates.length === 0) complete(step, completion, drafts);
  else askGates(step, { hat, iteration, drafts, completion, gates });
}

/**
 * Asks all that was not asked while turns ran at the same time, in the order in which they ended. A completion may end the run. One that lacks a required
 * event waits for the gates and hooks that have it.
 */
export function releaseHeld(step: LoopStep): void {
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

function isWaitingFor(step: LoopStep, { completion, drafts }: GateWait): boolean {
  if (completion === null) return false;
  const coming = step.state.gateWaits.filter((wait) => wait.completion === null).flatMap((wait) => wait.drafts.map(({ topic }) => topic));
  return findMissing(step, drafts).some((topic) => coming.includes(topic));
}

function releaseClaim(step: LoopStep, { hat, iteration, drafts }: GateWait, completion: EventDraft): void {
  if (refuseIncomplete(step, completion, drafts) || holdCompletion(step, completion))
    return publishEvents(step, { hat, iteration, drafts });
  const claim = { hat, iteration, drafts, completion };
  if (step.topology.spec.hooked?.complete.includes(hat) === true) askHooks(step, { ...claim, hooks: 'CompletionRequested' });
  else proveCompletion(step, claim);
}
