import type { EventDraft, EventSignal, PromiseSignal, Signal, TransitionSignal } from '../../core/events/event.ts';
import { TOPIC_COMPLETE, TOPIC_LEGACY_TRANSITION } from '../../core/events/reserved.ts';
import { findChangedTestsReason } from '../../core/gates/changed-tests.ts';
import type { RejectionCause } from '../../core/run/effects.ts';
import { toComparablePayload } from '../../core/values/json.ts';
import { isCompletionTopic, listedTargetOf, mayEnd, mayHandOn, mayPublish, publishableBy } from '../../topology/routing/queries.ts';
import { count, type LoopStep, notify, order, recordDraft, reject, tell } from './step.ts';

/** What counts of a turn's signals, once they were checked against the contract of its hat. */
export interface Accepted {
  readonly drafts: readonly EventDraft[];
  /** The event that would end the run. */
  readonly completion: EventDraft | null;
  /** How many events were refused because the hat may not publish them. */
  readonly refused: number;
}

/** Who wrote the signals, and how it went. */
export interface Author {
  readonly hat: string;
  readonly failed: boolean;
  /** For `HAT_TRANSITION`: what the next hat is handed. */
  readonly finalText: string;
}

/**
 * Checks what a hat wrote against its contract. The same event through two channels is one; a topic that the hat may not publish is refused, and the hat
 * is told; a promise counts only from a hat that may end the run and whose turn did not fail. A `HAT_TRANSITION` counts only where nothing else was accepted.
 */
export function acceptSignals(step: LoopStep, author: Author, signals: readonly Signal[]): Accepted {
  const drafts: EventDraft[] = [];
  const transitions: TransitionSignal[] = [];
  let completion: EventDraft | null = null;
  let isClaimed = false;
  let refused = 0;
  const take = (draft: EventDraft | null): void => {
    if (draft === null) refused += 1;
    else drafts.push(draft);
  };
  for (const signal of mergeChannels(signals)) {
    if (isNote(signal)) refused += 1;
    else if (signal.kind === 'transition') transitions.push(signal);
    else if (!isCompletion(step, signal)) take(toDraft(step, author, signal));
    else {
      if (!isClaimed) completion = toCompletion(step, author, signal);
      isClaimed = true;
    }
  }
  const isSaid = drafts.length > 0 || completion !== null;
  for (const signal of transitions) {
    const draft = toTransition(step, author, signal);
    if (draft === null || !isSaid) take(draft);
    else recordUnfollowed(step, draft);
  }
  return { drafts, completion, refused };
}

/** Notes about refusals of `ralph emit` beyond these are not shown. */
const MAX_NOTED = 20;

type Note = EventSignal & { readonly refused: NonNullable<EventSignal['refused']> };

/** Whether a signal only notes what the command refused: nothing was published by it. */
export function isNote(signal: Signal): signal is Note {
  return signal.kind === 'event' && signal.refused !== undefined;
}

/** Refuses again, for the same cause, what `ralph emit` refused during the turn, however the turn ended. Of such a note only the topic is believed. */
export function refuseNoted(step: LoopStep, hat: string, signals: readonly Signal[]): void {
  const { topology } = step;
  for (const { topic, refused } of signals.filter(isNote).slice(0, MAX_NOTED)) {
    if (refused.why === 'payload') refusePayload(step, hat, topic, refused.detail);
    else if (isCompletionTopic(topology, topic))
      refuseEnd(step, hat, topic, 'may-not-end', 'this hat may not end the run; hand on by an event instead');
    else if (mayPublish(topology, hat, topic)) refuse(step, hat, topic, 'unknown-hat', [...topology.hatById.keys()]);
    else refuse(step, hat, topic, 'scope', publishableBy(topology, hat));
  }
}

/** Records a transition that was written beside an event: most agents that write both mean the same by both. */
function recordUnfollowed(step: LoopStep, { target = '', ...draft }: EventDraft): void {
  recordDraft(step, draft, 'record');
  const words = `${draft.source} wrote HAT_TRANSITION:${target} beside an event: the event counts, the transition is recorded only.`;
  notify(step, 'info', 'transition-recorded', words);
}

/** True for everything that would end the run: the promise, and the events that mean the same. */
export function isCompletion(step: LoopStep, signal: Signal): signal is EventSignal | PromiseSignal {
  return signal.kind === 'promise' || (signal.kind === 'event' && isCompletionTopic(step.topology, signal.topic));
}

/** The same topic and payload through both channels is one event, as often as the channel that has it most often. */
export function mergeChannels(signals: readonly Signal[]): readonly Signal[] {
  const written = new Map<string, number>();
  for (const signal of signals) {
    if (isNote(signal)) continue;
    if (signal.kind !== 'transition' && signal.channel === 'jsonl') written.set(toKey(signal), (written.get(toKey(signal)) ?? 0) + 1);
  }
  return signals.filter((signal) => {
    if (signal.kind === 'transition' || signal.channel === 'jsonl') return true;
    const left = written.get(toKey(signal)) ?? 0;
    if (left > 0) written.set(toKey(signal), left - 1);
    return left === 0;
  });
}

function toKey(signal: EventSignal | PromiseSignal): string {
  return signal.kind === 'promise' ? 'promise' : `${signal.topic}\n${toComparablePayload(signal.payload)}`;
}

/** An event that its author may publish, with the target that its entry in `publishes` names where the author named none. */
function toDraft(step: LoopStep, { hat }: Author, signal: EventSignal): EventDraft | null {
  const { topic, payload } = signal;
  if (!mayPublish(step.topology, hat, topic, signal.target)) return refuse(step, hat, topic, 'scope', publishableBy(step.topology, hat));
  if (signal.payloadProblem !== undefined) return refusePayload(step, hat, topic, signal.payloadProblem);
  const target = signal.target ?? listedTargetOf(step.topology, hat, topic);
  const sender = signal.sender === undefined ? {} : { sender: signal.sender };
  return { topic, payload, source: hat, ...sender, ...(target === undefined ? {} : { target }) };
}

function toCompletion(step: LoopStep, author: Author, signal: EventSignal | PromiseSignal): EventDraft | null {
  const topic = signal.kind === 'event' ? signal.topic : step.topology.spec.promise;
  if (author.failed)
    return refuseEnd(step, author.hat, topic, 'failed-turn', 'your turn ended with a failure, so its promise does not count');
  if (!mayEnd(step.topology, author.hat))
    return refuseEnd(step, author.hat, topic, 'may-not-end', 'this hat may not end the run; hand on by an event instead');
  if (signal.kind === 'event' && signal.payloadProblem !== undefined) return refusePayload(step, author.hat, topic, signal.payloadProblem);
  const payload = signal.kind === 'event' ? signal.payload : '';
  const changedTests = findChangedTestsReason(payload, author.finalText);
  return { topic: TOPIC_COMPLETE, payload, source: author.hat, ...(changedTests === null ? {} : { changedTests }) };
}

/** Records a completion that does not count, and tells its author why. */
export function refuseEnd(step: LoopStep, hat: string, topic: string, why: RejectionCause, words: string): null {
  reject(step, hat, topic, why, publishableBy(step.topology, hat));
  tell(step, hat, { kind: 'promise-refused', why: words });
  return null;
}

function refuse(step: LoopStep, hat: string, topic: string, why: RejectionCause, allowed: readonly string[]): null {
  reject(step, hat, topic, why, allowed);
  tell(step, hat, { kind: 'refused', topic, allowed });
  notify(step, 'warning', 'scope-violation', `${hat} may not publish ${topic}; it was not routed.`);
  return null;
}

/** Refuses an event whose payload does not match the schema of its topic: whoever takes the topic relies on the schema. */
function refusePayload(step: LoopStep, hat: string, topic: string, problem: string): null {
  const id = `e${count(step, 'event')}`;
  const { iteration } = step.state.counters;
  order(step, { type: 'event-reject', id, iteration, hat, topic, why: 'payload', allowed: [], detail: problem });
  tell(step, hat, { kind: 'payload-refused', topic, why: problem });
  notify(
    step,
    'warning',
    'payload-refused',
    `${hat} published ${topic} with a payload that its schema refuses; it was not routed: ${problem}.`,
  );
  return null;
}

/** What a signal asks for, as a topic. */
export function toSignalTopic(step: LoopStep, signal: Signal): string {
  if (signal.kind === 'promise') return step.topology.spec.promise;
  return signal.kind === 'event' ? signal.topic : `${TOPIC_LEGACY_TRANSITION}.${signal.hat}`;
}

/** `HAT_TRANSITION:x` hands on to x alone, whoever else takes such topics. */
function toTransition(step: LoopStep, author: Author, signal: TransitionSignal): EventDraft | null {
  const { topology } = step;
  const topic = toSignalTopic(step, signal);
  if (!topology.hatById.has(signal.hat)) return refuse(step, author.hat, topic, 'unknown-hat', [...topology.hatById.keys()]);
  if (!mayHandOn(topology, author.hat, signal.hat)) return refuse(step, author.hat, topic, 'scope', publishableBy(topology, author.hat));
  return { topic, payload: author.finalText, source: author.hat, target: signal.hat };
}
