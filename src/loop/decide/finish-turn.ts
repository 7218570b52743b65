import {
  type Activation,
  type EventDraft,
  type Feedback,
  type IterationEnded,
  isJsonObject,
  type Json,
  type RalphEvent,
  SYSTEM,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  type TurnFailure,
} from '../../core/index.ts';
import { listedTargetOf, publishableBy, safetyNetOf, takersOf } from '../../topology/index.ts';
import { type Accepted, isCompletion } from './accept-signals.ts';
import { claimCompletion } from './complete.ts';
import { guardEvents } from './guard-events.ts';
import { deliver } from './publish.ts';
import { change, notify, readEntry, type Step } from './step.ts';
import { tellMissed } from './tell-missed.ts';
import { tellSilence } from './tell-silence.ts';

/** A turn that ended, with what is left of its signals. */
export interface FinishedTurn {
  readonly activation: Activation;
  readonly input: IterationEnded;
  readonly failure: TurnFailure | null;
  readonly accepted: Accepted;
}

/** Deals with what a turn said: completion first, then its events, then what follows from silence. */
export function finishTurn(step: Step, turn: FinishedTurn): void {
  const { activation, accepted, failure, input } = turn;
  noteFallback(step, turn);
  const { completion } = accepted;
  if (completion === null && accepted.drafts.length === 0) tellMissed(step, activation.hat, input.missed ?? []);
  if (completion !== null && claimCompletion(step, activation, { completion, drafts: accepted.drafts, input: turn.input })) return;
  const drafts = accepted.drafts.length > 0 ? accepted.drafts : toDefaults(step, turn);
  const isOnlyRefused = drafts.length === 0 && accepted.refused > 0 && failure === null && step.topology.coordination !== 'solo';
  if (!isOnlyRefused) forgive(step, activation.hat);
  guardEvents(step, { hat: activation.hat, iteration: activation.iteration, drafts });
  if (drafts.length === 0 && failure !== null) return publishError(step, activation, failure);
  if (isOnlyRefused) return giveSecondChance(step, activation);
  if (drafts.length === 0 && completion === null) tellSilence(step, activation, input);
  continueSolo(step, failure);
}

/** Counts fallback turns that brought nothing; any other turn begins the count anew. */
function noteFallback(step: Step, turn: FinishedTurn): void {
  const { activation, accepted, failure, input } = turn;
  const idle =
    accepted.drafts.length === 0 &&
    !input.signals.some((signal) => isCompletion(step, signal)) &&
    input.treeChanged === false &&
    failure === null;
  if (activation.fallback === null) change(step, { idleFallbacks: 0 });
  else if (idle) change(step, { idleFallbacks: step.state.idleFallbacks + 1 });
  else if (failure === null) change(step, { idleFallbacks: 0 });
}

/**
 * `default_publishes`: only for a turn that succeeded, said something, and wrote no event at all (decisions, section 6). Who claims the end, and may,
 * has not forgotten to write.
 */
function toDefaults(step: Step, turn: FinishedTurn): readonly EventDraft[] {
  const { activation, accepted, failure, input } = turn;
  const { hat } = activation;
  const topics = step.topology.hatById.get(hat)?.defaultPublishes ?? [];
  const isSilent = accepted.refused === 0 && accepted.completion === null;
  if (topics.length === 0 || failure !== null || !input.producedOutput || !isSilent) return [];
  notify(step, 'info', 'default-publishes', `${hat} wrote no event; ${topics.join(', ')} is published for it.`);
  return topics.map((topic): EventDraft => {
    const target = listedTargetOf(step.topology, hat, topic);
    const draft: EventDraft = {
      topic,
      payload: '',
      source: hat,
      by: 'default',
      ...(input.treeChanged === false && { isIdle: true as const }),
    };
    return target === undefined ? draft : { ...draft, target };
  });
}

/** `error.cli` or `error.timeout` goes to a subscriber or Ralph, with the events that the hat had been given, so that none is lost. */
function publishError(step: Step, activation: Activation, failure: TurnFailure): void {
  const timedOut = failure.class === 'timeout' || failure.class === 'idle-timeout';
  const topic = timedOut ? TOPIC_ERROR_TIMEOUT : TOPIC_ERROR_CLI;
  const payload = { hat: activation.hat, class: failure.class, message: failure.message, events: activation.events.flatMap(toCarried) };
  const takers = takersOf(step.topology, topic);
  if (takers.length === 0 && step.topology.coordination === 'hats')
    notify(step, 'warning', 'untaken-event', `No hat takes ${topic}; Ralph gets it.`);
  deliver(step, {
    topic,
    payload,
    to: takers.length > 0 ? takers : [safetyNetOf(step.topology)],
    how: takers.length > 0 ? 'trigger' : 'safety-net',
  });
}

/** What an error carries of an event; of an earlier error what that one carried, so that a row of failures does not nest them. */
function toCarried({ id, topic, payload, source }: RalphEvent): readonly Json[] {
  const isError = source === SYSTEM && (topic === TOPIC_ERROR_CLI || topic === TOPIC_ERROR_TIMEOUT);
  const carried = isError && isJsonObject(payload) ? payload['events'] : undefined;
  return Array.isArray(carried) ? carried : [{ id, topic, payload }];
}

/** A hat that wrote only what it may not gets one more turn with the refusal in its prompt; then the fallback takes over. */
function giveSecondChance(step: Step, activation: Activation): void {
  const { hat, events, fallback } = activation;
  if (readEntry(step.state.refusals, hat) === undefined) {
    change(step, {
      refusals: { ...step.state.refusals, [hat]: 1 },
      plans: [...step.state.plans, { retryOf: null, hat, events, feedback: activation.feedback.filter(isTakenOver), fallback }],
    });
    return;
  }
  forgive(step, hat);
  const next = step.topology.fallback === hat ? safetyNetOf(step.topology) : step.topology.fallback;
  notify(step, 'warning', 'refused-twice', `${hat} wrote only events that were refused, twice; ${next} takes over.`);
  const feedback = [toRefusedTwice(step, hat)];
  change(step, { plans: [...step.state.plans, { retryOf: null, hat: next, events, feedback, fallback: 'refused-twice' }] });
}

function isTakenOver({ kind }: Feedback): boolean {
  return kind === 'refused-twice';
}

/** Who takes over learns whose work it is, and what that hat tried to publish. */
function toRefusedTwice({ state, topology }: Step, hat: string): Feedback {
  const notes = readEntry(state.feedback, hat) ?? [];
  const topics = notes.flatMap((note) => (note.kind === 'refused' || note.kind === 'payload-refused' ? [note.topic] : []));
  return { kind: 'refused-twice', hat, topics: [...new Set(topics)], allowed: publishableBy(topology, hat) };
}

function forgive(step: Step, hat: string): void {
  if (readEntry(step.state.refusals, hat) === undefined) return;
  const { [hat]: _, ...rest } = step.state.refusals;
  change(step, { refusals: rest });
}

/** Solo: a turn without the promise is followed by `task.continue` (seed 004). */
function continueSolo(step: Step, failure: TurnFailure | null): void {
  const { topology } = step;
  if (topology.coordination !== 'solo' || failure !== null || step.state.gateWaits.length > 0) return;
  deliver(step, { topic: TOPIC_CONTINUE, payload: '', to: [topology.fallback], how: 'trigger' });
}
