import { addUsage } from '../../core/backends/usage.ts';
import type { EventDraft, RalphEvent } from '../../core/events/event.ts';
import { SYSTEM, TOPIC_CONTINUE, TOPIC_ERROR_CLI, TOPIC_ERROR_TIMEOUT } from '../../core/events/reserved.ts';
import type { RejectionCause } from '../../core/run/effects.ts';
import type { Feedback } from '../../core/run/feedback.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import type { Activation, PlannedTurn } from '../../core/run/state.ts';
import { isHopeless, type TurnFailure, type WorkConflict } from '../../core/run/turn.ts';
import { toTextHash } from '../../core/values/hash.ts';
import { isJsonObject, type Json, readOwn, toComparablePayload } from '../../core/values/json.ts';
import { hasTurns, listedTargetOf, publishableBy, safetyNetOf, takersOf } from '../../topology/routing/queries.ts';
import { planFirst } from './batch.ts';
import { holdCompletion, proveCompletion, refuseIncomplete } from './complete.ts';
import { endQuestions } from './on-asked.ts';
import { releaseTells } from './on-tell-given.ts';
import {
  type Accepted,
  acceptSignals,
  askHooks,
  holdWait,
  isCompletion,
  isNote,
  mergeChannels,
  publishEvents,
  refuseNoted,
  toSignalTopic,
} from './publish.ts';
import { parkOrSwitch, replaceOrPark, retryLater } from './retry.ts';
import { change, deliver, goOn, isAmongOthers, type LoopStep, notify, order, reject, takeFeedback, tell, toTurnPlace } from './step.ts';
import { tellMissed, tellSilence } from './tell-silence.ts';
import { noteViolations, toConflictText } from './tell-violations.ts';

export function onIterationEnded(step: LoopStep, input: IterationEnded): void {
  const activation = step.state.activations.find((entry) => entry.iteration === input.iteration && entry.attempt === input.attempt);
  if (activation === undefined) return;
  const wasTold = step.state.activations.find(({ hat }) => hat === activation.hat) === activation;
  change(step, { activations: step.state.activations.filter((entry) => entry !== activation), inboxOffset: input.inboxOffset });
  if (activation.copy !== undefined) step.iteration = activation.iteration;
  addCost(step, input);
  endQuestions(step, activation, input.outcome.status);
  tellProblems(step, activation, input);
  refuseNoted(step, activation.hat, input.signals);
  noteViolations(step, activation, input);
  const isPlannedAgain = isPlanned(step, activation, input);
  releaseTells(step, activation, { outcome: input.outcome, isPlannedAgain, wasTold });
  if (!isPlannedAgain) conclude(step, activation, input.conflict === undefined ? input : { ...input, signals: [] });
  goOn(step);
}

function isPlanned(step: LoopStep, activation: Activation, input: IterationEnded): boolean {
  if (input.outcome.status === 'interrupted') return withdraw(step, activation, input);
  if (input.conflict !== undefined) return isGivenAgain(step, activation, input, input.conflict);
  return isTriedAgain(step, activation, input);
}

/**
 * What the turn made is not in the folder, so nothing of what it said is true there: it is recorded and not routed. Its hat gets the same events in a fresh
 * turn; the second time in a row it is a failure like any other.
 */
function isGivenAgain(step: LoopStep, activation: Activation, input: IterationEnded, conflict: WorkConflict): boolean {
  const { hat, feedback, fallback, events } = activation;
  notify(step, 'warning', 'work-conflict', toConflictText(hat, conflict));
  withdrawSignals(step, hat, input, 'conflict');
  if (feedback.some(({ kind }) => kind === 'conflict')) return false;
  countTurn(step, activation, input.outcome.status === 'failed' ? input.outcome.failure : null);
  planAfresh(step, activation, { hat, events, fallback, feedback: [...feedback, { kind: 'conflict', ...conflict }] });
  return true;
}

function addCost(step: LoopStep, input: IterationEnded): void {
  const unknown = input.usage.costUsd === null && input.outcome.status !== 'interrupted' ? 1 : 0;
  change(step, { usage: addUsage(step.state.usage, input.usage), unknownCostTurns: step.state.unknownCostTurns + unknown });
}

function tellProblems(step: LoopStep, activation: Activation, input: IterationEnded): void {
  for (const problem of input.problems.slice(0, 20)) {
    notify(step, 'warning', 'unreadable-signal', `${problem.where}: ${problem.message}`);
    tell(step, activation.hat, { kind: 'malformed', where: problem.where, message: problem.message, excerpt: problem.excerpt });
  }
}

/**
 * An interrupted turn: what it already wrote is recorded and not routed, and the hat will run again, in a new iteration,
 * with the same events. It does not count against `max_activations`.
 */
function withdraw(step: LoopStep, activation: Activation, input: IterationEnded): true {
  const { hat, events, feedback, fallback, panel, copy } = activation;
  const { conflict } = input;
  if (conflict !== undefined) notify(step, 'warning', 'work-conflict', toConflictText(hat, conflict));
  const topics = withdrawSignals(step, hat, input, 'withdrawn');
  const lost: readonly Feedback[] = conflict === undefined ? [] : [{ kind: 'conflict', ...conflict }];
  const told = [...feedback, { kind: 'withdrawn' as const, topics }, ...lost];
  const next = hasTurns(step.topology, hat) ? hat : step.topology.fallback;
  // Where it worked is kept under another name.
  const place = copy === undefined || conflict !== undefined ? {} : { copy };
  planAfresh(step, activation, { hat: next, events, feedback: told, fallback, ...place, ...(panel === undefined ? {} : { panel }) });
  return true;
}

/** Records what a turn wrote, and routes nothing of it. */
function withdrawSignals(step: LoopStep, hat: string, input: IterationEnded, why: RejectionCause): readonly string[] {
  const signals = mergeChannels(input.signals).filter((signal) => !isNote(signal));
  const topics = signals.map((signal) => toSignalTopic(step, signal));
  for (const topic of topics) reject(step, hat, topic, why, []);
  return topics;
}

/** A new iteration that comes first, and is no further activation of its hat. */
function planAfresh(step: LoopStep, { hat, place }: Activation, plan: Omit<PlannedTurn, 'retryOf'>): void {
  const counts = step.state.activationCounts;
  planFirst(step, { retryOf: null, ...plan, ...toTurnPlace({ place }) });
  change(step, { activationCounts: { ...counts, [hat]: Math.max(0, (readOwn(counts, hat) ?? 0) - 1) } });
}

/**
 * Transient errors, usage limits, refused keys and missing programs say nothing about the work: the same iteration gets another attempt, now, later, by
 * another agent, or once a person has helped.
 */
function isTriedAgain(step: LoopStep, activation: Activation, input: IterationEnded): boolean {
  if (input.outcome.status !== 'failed' || !input.signals.every(isNote)) return false;
  const { failure } = input.outcome;
  if (failure.class === 'transient') return failure.wasRetried !== true && retryLater(step, activation, failure);
  if (failure.class === 'limit') return parkOrSwitch(step, activation, failure);
  return (failure.class === 'spawn' || isHopeless(failure.class)) && replaceOrPark(step, activation, failure);
}

/** A turn of the work: it counts, whatever came of it. */
function conclude(step: LoopStep, activation: Activation, input: IterationEnded): void {
  const failure = input.outcome.status === 'failed' ? input.outcome.failure : null;
  countTurn(step, activation, failure);
  const accepted = acceptSignals(step, { hat: activation.hat, failed: failure !== null, finalText: input.finalText }, input.signals);
  finishTurn(step, { activation, input, failure, accepted: { ...accepted, drafts: withGiven(activation, accepted.drafts) } });
}

function countTurn(step: LoopStep, activation: Activation, failure: TurnFailure | null): void {
  const { counters } = step.state;
  const counted = counters.counted + 1;
  change(step, { counters: { ...counters, counted } });
  noteOutcome(step, activation, failure);
  orderCheckpoint(step, counted, activation.iteration);
}

/** A transient error is a failure of the work only when all attempts are used; a usage limit never is. */
function noteOutcome(step: LoopStep, activation: Activation, failure: TurnFailure | null): void {
  const { state } = step;
  if (failure === null) return change(step, { consecutiveFailures: 0, turnsSucceeded: state.turnsSucceeded + 1 });
  const isLast = failure.wasRetried === true || activation.attempt >= step.topology.spec.retry.maxAttempts;
  const ofTheWork = failure.class === 'transient' ? isLast : failure.class !== 'limit';
  change(step, {
    consecutiveFailures: state.consecutiveFailures + (ofTheWork ? 1 : 0),
    lastFailure: failure,
    turnsFailed: state.turnsFailed + 1,
  });
}

function orderCheckpoint(step: LoopStep, counted: number, iteration: number): void {
  const { checkpointInterval } = step.state.limits;
  if (checkpointInterval <= 0 || counted % checkpointInterval !== 0) return;
  change(step, { checkpointing: iteration });
  order(step, { type: 'checkpoint-make', iteration });
}

/** A turn that ended, with what is left of its signals. */
interface FinishedTurn {
  readonly activation: Activation;
  readonly input: IterationEnded;
  readonly failure: TurnFailure | null;
  readonly accepted: Accepted;
}

/** Deals with what a turn said: completion first, then its events, then what follows from silence. */
function finishTurn(step: LoopStep, turn: FinishedTurn): void {
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
function withGiven({ events, place }: Activation, drafts: readonly EventDraft[]): readonly EventDraft[] {
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
function claimCompletion(step: LoopStep, { activation, accepted: { drafts }, input }: FinishedTurn, completion: EventDraft): boolean {
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
function flagIdleClaim(step: LoopStep, activation: Activation, { toolCalls, signalCalls = 0, treeChanged }: IterationEnded): void {
  if (toolCalls === null || toolCalls > signalCalls || treeChanged !== false) return;
  const { hat, iteration, feedback } = activation;
  // The work may have been done in the turn that was interrupted.
  if (feedback.some(({ kind }) => kind === 'withdrawn')) return;
  const butTo = signalCalls > 0 ? ' but to say so' : '';
  const words = `${hat} claimed completion in iteration ${iteration} without a tool call${butTo} and without a change.`;
  notify(step, 'warning', 'idle-completion', words);
}

/** Counts fallback turns that brought nothing; any other turn begins the count anew. */
function noteFallback(step: LoopStep, turn: FinishedTurn): void {
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
function toDefaults(step: LoopStep, turn: FinishedTurn): readonly EventDraft[] {
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
function publishError(step: LoopStep, activation: Activation, failure: TurnFailure): void {
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
function giveSecondChance(step: LoopStep, activation: Activation): void {
  const { hat, events, fallback } = activation;
  const key = toRefusalKey(activation);
  if (readOwn(step.state.refusals, key) === undefined) {
    const known = activation.feedback.filter(isTakenOver);
    // Of several turns of the hat the next one need not be this one's.
    const feedback = activation.place === undefined ? known : [...known, ...takeFeedback(step, hat)];
    change(step, {
      refusals: { ...step.state.refusals, [key]: 1 },
      plans: [...step.state.plans, { retryOf: null, hat, events, feedback, fallback, ...toTurnPlace(activation) }],
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
function toRefusedTwice({ state, topology }: LoopStep, hat: string): Feedback {
  const notes = readOwn(state.feedback, hat) ?? [];
  const topics = notes.flatMap((note) => (note.kind === 'refused' || note.kind === 'payload-refused' ? [note.topic] : []));
  return { kind: 'refused-twice', hat, topics: [...new Set(topics)], allowed: publishableBy(topology, hat) };
}

/** Of a hat whose turns run at the same time each has its own. No hat has a space in its id. */
function toRefusalKey({ hat, place }: Activation): string {
  return place === undefined ? hat : `${hat} ${place}`;
}

function forgive(step: LoopStep, activation: Activation): void {
  const key = toRefusalKey(activation);
  if (readOwn(step.state.refusals, key) === undefined) return;
  const { [key]: _, ...rest } = step.state.refusals;
  change(step, { refusals: rest });
}

/** Solo: a turn without the promise is followed by `task.continue`. */
function continueSolo(step: LoopStep, failure: TurnFailure | null): void {
  const { topology } = step;
  if (topology.coordination !== 'solo' || failure !== null || step.state.gateWaits.length > 0) return;
  deliver(step, { topic: TOPIC_CONTINUE, payload: '', to: [topology.fallback], how: 'trigger' });
}
