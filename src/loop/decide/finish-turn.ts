import type { EventDraft, MissedSignal, RalphEvent } from '../../core/events/event.ts';
import { SYSTEM, TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT } from '../../core/events/reserved.ts';
import type { Feedback, SilentTurn } from '../../core/run/feedback.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import { toTextHash } from '../../core/values/hash.ts';
import { isJsonObject, type Json, readOwn, toComparablePayload, toPayloadText } from '../../core/values/json.ts';
import {
  isCompletionTopic,
  listedTargetOf,
  mayEnd,
  mayPublish,
  publishableBy,
  safetyNetOf,
  takersOf,
} from '../../topology/routing/queries.ts';
import { type Accepted, isCompletion } from './accept-signals.ts';
import { holdCompletion, refuseIncomplete } from './complete.ts';
import { takeFeedback } from './proceed.ts';
import { proveCompletion } from './prove-completion.ts';
import { askHooks, holdWait, publishEvents } from './publish.ts';
import { change, deliver, isAmongOthers, notify, type Step, tell, toPlace } from './step.ts';

/** A turn that ended, with what is left of its signals. */
interface FinishedTurn {
  readonly activation: Activation;
  readonly input: IterationEnded;
  readonly failure: TurnFailure | null;
  readonly accepted: Accepted;
}

/** Deals with what a turn said: completion first, then its events, then what follows from silence. */
export function finishTurn(step: Step, turn: FinishedTurn): void {
  const { activation, accepted, failure, input } = turn;
  const { completion } = accepted;
  noteFallback(step, turn);
  if (completion === null && accepted.drafts.length === 0) tellMissed(step, activation.hat, input.missed ?? []);
  if (completion !== null && claimCompletion(step, turn, completion)) return;
  const drafts = accepted.drafts.length > 0 ? accepted.drafts : withGiven(activation, toDefaults(step, turn));
  const isOnlyRefused = drafts.length === 0 && accepted.refused > 0 && failure === null && step.topology.coordination !== 'solo';
  if (!isOnlyRefused) forgive(step, activation);
  publishEvents(step, { hat: activation.hat, iteration: activation.iteration, drafts });
  if (drafts.length === 0 && failure !== null) return publishError(step, activation, failure);
  if (isOnlyRefused) return giveSecondChance(step, activation);
  if (drafts.length === 0 && completion === null) tellSilence(step, activation, input);
  continueSolo(step, failure);
}

/** What one of several turns of a hat says is an answer to what that one was given. */
export function withGiven({ events, place }: Activation, drafts: readonly EventDraft[]): readonly EventDraft[] {
  if (place === undefined) return drafts;
  const tasks = events.filter(({ told }) => told === undefined);
  const given = toTextHash(tasks.map(({ topic, payload }) => `${topic}\n${toComparablePayload(payload)}`).join('\n'));
  return drafts.map((draft) => ({ ...draft, given }));
}

/**
 * A hat that may end the run says that the work is done: required events are checked, then whether people wait to be heard, then gates; then the run ends.
 * Among turns that run at the same time that is done when the last has ended: until then required events may come.
 *
 * @returns false if the completion was refused at once; true if the run ended, gates were asked or others are waited for
 */
function claimCompletion(step: Step, { activation, accepted: { drafts }, input }: FinishedTurn, completion: EventDraft): boolean {
  const isHeld = isAmongOthers(step) || step.state.gateWaits.some((wait) => wait.isHeld === true);
  if (!isHeld && refuseIncomplete(step, completion, drafts)) return false;
  if (holdCompletion(step, completion)) return false;
  const { hat, iteration } = activation;
  flagIdleClaim(step, activation, input);
  if (isHeld) holdWait(step, { gates: [], hat, iteration, drafts, completion });
  else if (step.topology.spec.hooked?.complete.includes(hat) === true)
    askHooks(step, { hat, iteration, drafts, completion, hooks: 'CompletionRequested' });
  else proveCompletion(step, { hat, iteration, drafts, completion });
  return true;
}

/** Tells people where completion was claimed in a turn that changed no file and used no tool but to claim it: nothing in this turn shows that the work is done. */
function flagIdleClaim(step: Step, activation: Activation, { toolCalls, signalCalls = 0, treeChanged }: IterationEnded): void {
  if (toolCalls === null || toolCalls > signalCalls || treeChanged !== false) return;
  const { hat, iteration, feedback } = activation;
  // The work may have been done in the turn that was interrupted.
  if (feedback.some(({ kind }) => kind === 'withdrawn')) return;
  const butTo = signalCalls > 0 ? ' but to say so' : '';
  const words = `${hat} claimed completion in iteration ${iteration} without a tool call${butTo} and without a change.`;
  notify(step, 'warning', 'idle-completion', words);
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
 * `default_publishes`: only for a turn that succeeded, said something, and wrote no event at all. Who claims the end, and may,
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
  const key = toRefusalKey(activation);
  if (readOwn(step.state.refusals, key) === undefined) {
    const known = activation.feedback.filter(isTakenOver);
    // Of several turns of the hat the next one need not be this one's.
    const feedback = activation.place === undefined ? known : [...known, ...takeFeedback(step, hat)];
    change(step, {
      refusals: { ...step.state.refusals, [key]: 1 },
      plans: [...step.state.plans, { retryOf: null, hat, events, feedback, fallback, ...toPlace(activation) }],
    });
    return;
  }
  forgive(step, activation);
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
  const notes = readOwn(state.feedback, hat) ?? [];
  const topics = notes.flatMap((note) => (note.kind === 'refused' || note.kind === 'payload-refused' ? [note.topic] : []));
  return { kind: 'refused-twice', hat, topics: [...new Set(topics)], allowed: publishableBy(topology, hat) };
}

/** Of a hat whose turns run at the same time each has its own. No hat has a space in its id. */
function toRefusalKey({ hat, place }: Activation): string {
  return place === undefined ? hat : `${hat} ${place}`;
}

function forgive(step: Step, activation: Activation): void {
  const key = toRefusalKey(activation);
  if (readOwn(step.state.refusals, key) === undefined) return;
  const { [key]: _, ...rest } = step.state.refusals;
  change(step, { refusals: rest });
}

/** Solo: a turn without the promise is followed by `task.continue`. */
function continueSolo(step: Step, failure: TurnFailure | null): void {
  const { topology } = step;
  if (topology.coordination !== 'solo' || failure !== null || step.state.gateWaits.length > 0) return;
  deliver(step, { topic: TOPIC_CONTINUE, payload: '', to: [topology.fallback], how: 'trigger' });
}

/**
 * Tells people and the hat what was almost an event or the promise, after a turn that published nothing. What the hat may not publish anyway is left out:
 * it only spoke of it.
 */
function tellMissed(step: Step, hat: string, missed: readonly MissedSignal[]): void {
  const { topology } = step;
  const isAllowed = ({ topic }: MissedSignal): boolean =>
    topic === null || isCompletionTopic(topology, topic) ? mayEnd(topology, hat) : mayPublish(topology, hat, topic);
  for (const { topic, line } of missed.filter(isAllowed)) {
    const what = topic === null ? `the promise ${topology.spec.promise}` : topic;
    const how = topic === null ? ` It counts as ${topology.spec.promise} on a line of its own, with nothing around it.` : '';
    notify(step, 'warning', 'missed-signal', `${hat} wrote ${what} in a way that does not count: ${JSON.stringify(line)}.${how}`);
    tell(step, hat, { kind: 'missed', topic, line });
  }
}

/** Events that the note about a silent turn lists. */
const MAX_EVENTS = 10;
/** Characters of a payload, and of the last words. */
const MAX_TEXT = 2000;

/**
 * Tells the fallback hat of a turn that ended well and published nothing, so that the events that the turn was given are not lost. A fallback turn that
 * came to nothing itself hands on what it had been told.
 */
function tellSilence(step: Step, activation: Activation, { finalText, treeChanged }: IterationEnded): void {
  const { topology } = step;
  if (topology.coordination === 'solo') return;
  const { hat, iteration, fallback, feedback } = activation;
  const isSilent = (note: Feedback): boolean => note.kind === 'silent';
  if (fallback !== null && treeChanged !== true) for (const note of feedback.filter(isSilent)) tell(step, topology.fallback, note);
  const events = activation.events.filter(({ source, payload }) => source !== SYSTEM || toPayloadText(payload).trim().length > 0);
  if (hat === topology.fallback && events.length === 0) return;
  const turn: SilentTurn = {
    hat,
    iteration,
    events: events
      .slice(0, MAX_EVENTS)
      .map(({ id, topic, payload }) => ({ id, topic, payload: toPayloadText(payload).slice(0, MAX_TEXT) })),
    allowed: publishableBy(topology, hat),
    words: finalText.slice(-MAX_TEXT),
  };
  tell(step, topology.fallback, { kind: 'silent', ...turn });
}
