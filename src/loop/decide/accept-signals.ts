import {
  type EventDraft,
  type EventSignal,
  type PublishSpec,
  RALPH,
  type RejectionCause,
  type Signal,
  TOPIC_COMPLETE,
  TOPIC_LEGACY_TRANSITION,
  toComparablePayload,
  type TransitionSignal,
} from '../../core/index.ts';
import { isCompletionTopic, mayEnd, mayPublish, publishableBy } from '../../topology/index.ts';
import { count, notify, order, type Step, tell } from './step.ts';

/** What is left of a turn's signals after its contract was held against them. */
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
 * Holds the contract of a hat against what it wrote (decisions, sections 3 and 5): the same event through two channels
 * is one; a topic that is not the hat's is refused and told; a promise counts only from somebody who may end the run and
 * whose turn did not fail.
 */
export function acceptSignals(step: Step, author: Author, signals: readonly Signal[]): Accepted {
  const drafts: EventDraft[] = [];
  let completion: EventDraft | null = null;
  let refused = 0;
  for (const signal of mergeChannels(signals)) {
    if (signal.kind === 'transition') {
      const draft = toTransition(step, author, signal);
      if (draft !== null) drafts.push(draft);
    } else if (signal.kind === 'promise' || isCompletionTopic(step.topology, signal.topic)) {
      const draft = toCompletion(step, author, signal);
      if (completion === null) completion = draft;
    } else if (mayPublish(step.topology, author.hat, signal.topic, signal.target)) {
      drafts.push(toDraft(step, author.hat, signal));
    } else {
      refuse(step, author.hat, signal.topic);
      refused += 1;
    }
  }
  return { drafts, completion, refused };
}

/** The same topic and payload through both channels is one event, as often as the channel that has it most often. */
function mergeChannels(signals: readonly Signal[]): readonly Signal[] {
  const written = new Map<string, number>();
  for (const signal of signals) {
    if (signal.kind !== 'transition' && signal.channel === 'jsonl') written.set(toKey(signal), (written.get(toKey(signal)) ?? 0) + 1);
  }
  return signals.filter((signal) => {
    if (signal.kind === 'transition' || signal.channel === 'jsonl') return true;
    const left = written.get(toKey(signal)) ?? 0;
    if (left > 0) written.set(toKey(signal), left - 1);
    return left === 0;
  });
}

function toKey(signal: Exclude<Signal, TransitionSignal>): string {
  return signal.kind === 'promise' ? 'promise' : `${signal.topic}\n${toComparablePayload(signal.payload)}`;
}

/** An event with the target that its entry in `publishes` names, where the author named none. */
function toDraft(step: Step, hat: string, signal: EventSignal): EventDraft {
  const { topic, payload } = signal;
  const target = signal.target ?? findListedTarget(step.topology.hatById.get(hat)?.publishes ?? [], topic);
  return target === undefined ? { topic, payload, source: hat } : { topic, payload, source: hat, target };
}

function findListedTarget(publishes: readonly PublishSpec[], topic: string): string | undefined {
  const entries = publishes.filter((entry) => entry.topic === topic);
  return entries.length > 0 && entries.every((entry) => entry.target !== undefined) ? entries[0]?.target : undefined;
}

function toCompletion(step: Step, author: Author, signal: Exclude<Signal, TransitionSignal>): EventDraft | null {
  const topic = signal.kind === 'event' ? signal.topic : step.topology.spec.promise;
  if (author.failed) return refuseEnd(step, author.hat, topic, 'failed-turn', 'your turn ended with a failure, so its promise does not count');
  if (!mayEnd(step.topology, author.hat)) return refuseEnd(step, author.hat, topic, 'may-not-end', 'this hat may not end the run; hand on by an event instead');
  return { topic: TOPIC_COMPLETE, payload: signal.kind === 'event' ? signal.payload : '', source: author.hat };
}

/** Records a completion that does not count, and tells its author why. */
export function refuseEnd(step: Step, hat: string, topic: string, why: RejectionCause, words: string): null {
  reject(step, hat, topic, why, publishableBy(step.topology, hat));
  tell(step, hat, { kind: 'promise-refused', why: words });
  return null;
}

function refuse(step: Step, hat: string, topic: string): void {
  const allowed = publishableBy(step.topology, hat);
  reject(step, hat, topic, 'scope', allowed);
  tell(step, hat, { kind: 'refused', topic, allowed });
  notify(step, 'warning', 'scope-violation', `${hat} may not publish ${topic}; it was not routed.`);
}

/** Records a signal that was not accepted, under an id of its own. */
export function reject(step: Step, hat: string, topic: string, why: RejectionCause, allowed: readonly string[]): void {
  const id = `e${count(step, 'event')}`;
  order(step, { type: 'event-reject', id, iteration: step.state.counters.iteration, hat, topic, why, allowed });
}

/** Seed 000's `HAT_TRANSITION:x`: allowed when x takes a topic that the author may publish, or is listed in `transitions`. */
function toTransition(step: Step, author: Author, signal: TransitionSignal): EventDraft | null {
  const topic = `${TOPIC_LEGACY_TRANSITION}.${signal.hat}`;
  const next = step.topology.hatById.get(signal.hat);
  if (next === undefined) {
    reject(step, author.hat, topic, 'unknown-hat', [...step.topology.hatById.keys()]);
    return null;
  }
  const listed = step.topology.hatById.get(author.hat)?.transitions.includes(signal.hat) === true;
  const handsOn = next.triggers.some((trigger) => mayPublish(step.topology, author.hat, trigger));
  if (!listed && !handsOn && author.hat !== RALPH) {
    refuse(step, author.hat, topic);
    return null;
  }
  return { topic, payload: author.finalText, source: author.hat, target: signal.hat };
}
