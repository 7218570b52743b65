import type { EventDraft, EventSignal, PromiseSignal, Signal, TransitionSignal } from '../../core/events/event.ts';
import {
  EXTERNAL,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_LEGACY_TRANSITION,
  TOPIC_TASK_DONE,
  toBlockedTopic,
} from '../../core/events/reserved.ts';
import { findChangedTestsReason } from '../../core/gates/changed-tests.ts';
import { type GateSpec, isRequiredGate } from '../../core/gates/gate-spec.ts';
import type { DeliveryKind, RejectionCause } from '../../core/run/effects.ts';
import type { Footprint, GateWait } from '../../core/run/state.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { toTextHash } from '../../core/values/hash.ts';
import { type Json, toComparablePayload, toPayloadText } from '../../core/values/json.ts';
import {
  hasTurns,
  isCompletionTopic,
  isTerminalTopic,
  listedTargetOf,
  listGuards,
  mayEnd,
  mayHandOn,
  mayPublish,
  publishableBy,
  safetyNetOf,
  takersOf,
} from '../../topology/routing/queries.ts';
import { addEvent, change, count, hasTurnEach, isAmongOthers, type LoopStep, notify, order, recordDraft, reject, tell } from './step.ts';

/** What counts of a turn's signals, once they were checked against the contract of its hat. */
export interface Accepted {
  readonly drafts: readonly EventDraft[];
  /** The event that would end the run. */
  readonly completion: EventDraft | null;
  /** How many events were refused because the hat may not publish them. */
  readonly refused: number;
}

/** Who wrote the signals, and how it went. */
interface Author {
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

const MAY_NOT_END = 'this hat may not end the run; hand on by an event instead';

/** Notes about refusals of `ralph emit` beyond these are not shown. */
const MAX_NOTED = 20;

type Note = EventSignal & { readonly refused: NonNullable<EventSignal['refused']> };

/** Whether a signal only notes a refusal of the command: it publishes nothing. */
export function isNote(signal: Signal): signal is Note {
  return signal.kind === 'event' && signal.refused !== undefined;
}

/** Refuses again, for the same cause, what `ralph emit` refused during the turn, however the turn ended. Of such a note only the topic is believed. */
export function refuseNoted(step: LoopStep, hat: string, signals: readonly Signal[]): void {
  const { topology } = step;
  for (const { topic, refused } of signals.filter(isNote).slice(0, MAX_NOTED)) {
    if (refused.why === 'payload') refusePayload(step, hat, topic, refused.detail);
    else if (isCompletionTopic(topology, topic)) refuseEnd(step, hat, topic, 'may-not-end', MAY_NOT_END);
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
    if (isNote(signal) || signal.kind === 'transition' || signal.channel !== 'jsonl') continue;
    const key = toKey(signal);
    written.set(key, (written.get(key) ?? 0) + 1);
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
  if (!mayEnd(step.topology, author.hat)) return refuseEnd(step, author.hat, topic, 'may-not-end', MAY_NOT_END);
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

interface TurnEvents {
  readonly hat: string;
  readonly iteration: number;
  readonly drafts: readonly EventDraft[];
}

/** Publishes events, after the gates on their topics where there are any. All events of agents and people pass here. */
export function publishEvents(step: LoopStep, events: TurnEvents): void {
  const { hat, iteration, drafts } = events;
  const isHooked = drafts.length > 0 && step.topology.spec.hooked?.publish.includes(hat) === true;
  if (isHooked) return askHooks(step, { hat, iteration, drafts, completion: null, hooks: 'EventPublish' });
  publishUnhooked(step, events);
}

/** The same for events that hooks let through. */
export function publishUnhooked(step: LoopStep, events: TurnEvents): void {
  const { hat, drafts } = events;
  const topics = drafts.map((draft) => draft.topic);
  const gates = gatesOn(step, hat, topics);
  if (gates.length === 0) publishDrafts(step, drafts);
  else if (isBehind(step, hat)) holdWait(step, { ...events, completion: null, gates });
  else askGates(step, { ...events, completion: null, gates });
}

/** The gates on events of a hat whose patterns match one of the topics, by index. */
export function gatesOn({ topology }: LoopStep, hat: string, topics: readonly string[]): readonly number[] {
  return listGuards(topology.spec, hat, topics);
}

/**
 * The gates that must agree before the run may end: those on the end, those on a required event that the same turn brought (it counts only if they let it
 * through), and every other required one, for a pass on files that have changed since proves nothing. One that is only for some hats is left out unless it
 * was asked in this run.
 */
export function gatesOnCompletion(step: LoopStep, hat: string, drafts: readonly EventDraft[]): readonly number[] {
  const { seenRequired, askedGates } = step.state;
  const { gates, requiredEvents } = step.topology.spec;
  const claimed = drafts.map((draft) => draft.topic).filter((topic) => requiredEvents.includes(topic) && !seenRequired.includes(topic));
  const guarding = gatesOn(step, hat, [TOPIC_COMPLETE, ...claimed]);
  const isDue = (gate: GateSpec, index: number): boolean => isRequiredGate(gate) && (gate.hats === undefined || askedGates.includes(index));
  return gates.flatMap((gate, index) => (guarding.includes(index) || isDue(gate, index) ? [index] : []));
}

/** Orders hooks. What waits for them is kept with the gate waits, whose rules apply to it. */
export function askHooks(step: LoopStep, wait: Omit<GateWait, 'request' | 'gates'> & Required<Pick<GateWait, 'hooks'>>): void {
  const hookWait: GateWait = { ...wait, request: count(step, 'request'), gates: [], ...toApart(step) };
  change(step, { gateWaits: [...step.state.gateWaits, hookWait] });
  orderGates(step, hookWait);
}

export function askGates(step: LoopStep, wait: Omit<GateWait, 'request'>): void {
  if (isAmongOthers(step)) return holdWait(step, wait);
  const request = count(step, 'request');
  const { hat, iteration, drafts, completion, gates, round } = wait;
  const more = { ...toApart(step), ...(round === undefined ? {} : { round }) };
  const gateWait: GateWait = { request, gates, hat, iteration, completion, drafts, ...more };
  const askedGates = [...new Set([...step.state.askedGates, ...gates])].sort((left, right) => left - right);
  change(step, { gateWaits: [...step.state.gateWaits, gateWait], askedGates });
  orderGates(step, gateWait);
}

/** Whether earlier events of the same hat are still held: what several turns of a hat published is handed on in their order. */
function isBehind(step: LoopStep, hat: string): boolean {
  const isEarlier = (wait: GateWait): boolean => wait.isHeld === true && wait.hat === hat;
  return hasTurnEach(step, hat) && step.state.gateWaits.some(isEarlier);
}

/** Keeps the gates that run once the turns running at the same time have ended. */
export function holdWait(step: LoopStep, { gates, hat, iteration, completion, drafts }: Omit<GateWait, 'request'>): void {
  const held: GateWait = { request: 0, gates, hat, iteration, completion, drafts, isApart: true, isHeld: true };
  change(step, { gateWaits: [...step.state.gateWaits, held] });
}

function toApart({ iteration }: LoopStep): Pick<GateWait, 'isApart'> {
  return iteration === null ? {} : { isApart: true };
}

/** Gives the order, for the first time or, after a crash, again. */
export function orderGates(
  step: LoopStep,
  { request, gates, hooks, hat, iteration, completion, drafts, isBaseline, isApart }: GateWait,
): void {
  if (hooks !== undefined)
    return order(step, { type: 'hooks-ask', request, event: hooks, hat, iteration, drafts: completion === null ? drafts : [completion] });
  const topics = completion === null ? drafts.map((draft) => draft.topic) : [completion.topic];
  order(step, {
    type: 'gates-run',
    request,
    gates,
    topics: [...new Set(topics)],
    ...(isBaseline && { isBaseline }),
    ...(isApart && { iteration }),
  });
}

/** Publishes events at once, in order: each gets its receivers, and what may become a loop is remembered. */
export function publishDrafts(step: LoopStep, drafts: readonly EventDraft[]): void {
  const seen: Footprint[] = [];
  for (const draft of drafts) {
    const [to, how] = findReceivers(step, draft);
    const event = addEvent(step, draft, to, how);
    if (draft.by === 'default') order(step, { type: 'inbox-append', event });
    if (isOwnWord(step, draft)) addFootprint(seen, draft);
  }
  change(step, { footprints: keepFootprints(step, [...step.state.footprints, ...seen]) });
}

/**
 * Who gets an event: its target; else the takers of its topic; else nobody for a terminal topic; else Ralph, the safety net
 * (in `mode: single` everything has a taker).
 */
function findReceivers(step: LoopStep, draft: EventDraft): readonly [readonly string[], DeliveryKind] {
  const { topology } = step;
  const { target } = draft;
  const net = safetyNetOf(topology);
  if (target !== undefined) {
    if (hasTurns(topology, target)) return [[target], 'target'];
    notify(
      step,
      'warning',
      'unknown-target',
      `${draft.source} sent ${draft.topic} to "${target.slice(0, 80)}", which is no hat; ${net} gets it.`,
    );
    return [[net], 'safety-net'];
  }
  const takers = takersOf(topology, draft.topic);
  if (takers.length > 0) return [takers, 'trigger'];
  if (isTerminalTopic(topology, draft.topic)) return [[], 'terminal'];
  if (topology.coordination === 'hats')
    notify(step, 'warning', 'untaken-event', `No hat takes ${draft.topic} (published by ${draft.source}); Ralph gets it.`);
  return [[net], 'safety-net'];
}

/**
 * True if saying it again and again is a loop: an agent chose to say it, or a turn that changed nothing left it to its default. People may
 * repeat themselves, and in `mode: single` `task.done` and `task.continue` only ask for the next turn.
 */
function isOwnWord(step: LoopStep, draft: EventDraft): boolean {
  const goesOn = draft.topic === TOPIC_TASK_DONE || draft.topic === TOPIC_CONTINUE;
  // The same claim, refused by the same gate with the same output, is a loop too; a refused completion has its own limit.
  const isRefusal = draft.by !== 'default' && draft.by !== 'escalation' && draft.topic !== toBlockedTopic(TOPIC_COMPLETE);
  const isOwn = draft.by === undefined || isRefusal || draft.isIdle === true;
  return isOwn && authorOf(draft) !== EXTERNAL && !(step.topology.classic && goesOn);
}

function addFootprint(seen: Footprint[], draft: EventDraft): void {
  const given = draft.given === undefined ? '' : `\n${draft.given}`;
  const hash = toTextHash(`${draft.topic}\n${toComparablePayload(draft.payload)}${given}`);
  const hat = authorOf(draft);
  if (seen.some((mark) => mark.hat === hat && mark.hash === hash)) return;
  const mark: Footprint = { hat, hash, topic: draft.topic, excerpt: toExcerpt(draft.payload) };
  seen.push(draft.isIdle === true ? { ...mark, isDefault: true } : mark);
}

function authorOf({ source, publishedBy }: EventDraft): string {
  return publishedBy ?? source;
}

function toExcerpt(payload: Json): string {
  return toOneLine(toPayloadText(payload), EXCERPT_LENGTH);
}

/** Characters of a payload by which people recognize it. */
const EXCERPT_LENGTH = 60;

/** A circle of defaults may go over as many hats as there are. */
const MAX_DEFAULTS_KEPT = 1000;

function keepFootprints(step: LoopStep, marks: readonly Footprint[]): readonly Footprint[] {
  const { repetition, oscillation } = step.topology.spec.loopDetection;
  const defaults = marks.length - 1 - marks.findLastIndex((mark) => mark.isDefault !== true);
  return marks.slice(-Math.max(repetition, oscillation * 2, 1, Math.min(defaults, MAX_DEFAULTS_KEPT)));
}
