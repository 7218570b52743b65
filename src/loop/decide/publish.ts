import type { EventDraft } from '../../core/events/event.ts';
import { EXTERNAL, TOPIC_COMPLETE, TOPIC_CONTINUE, TOPIC_TASK_DONE, toBlockedTopic } from '../../core/events/reserved.ts';
import { type GateSpec, isRequiredGate } from '../../core/gates/gate-spec.ts';
import type { DeliveryKind } from '../../core/run/effects.ts';
import type { Footprint, GateWait } from '../../core/run/state.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { toTextHash } from '../../core/values/hash.ts';
import { type Json, toComparablePayload, toPayloadText } from '../../core/values/json.ts';
import { hasTurns, isTerminalTopic, listGuards, safetyNetOf, takersOf } from '../../topology/routing/queries.ts';
import { addEvent, change, count, hasTurnEach, isAmongOthers, type LoopStep, notify, order } from './step.ts';

/** The events that somebody published at once. */
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

/** Orders hooks and keeps what waits for them, where gates are kept: what holds for those that wait for gates holds for these. */
export function askHooks(step: LoopStep, wait: Omit<GateWait, 'request' | 'gates'> & Required<Pick<GateWait, 'hooks'>>): void {
  const hookWait: GateWait = { ...wait, request: count(step, 'request'), gates: [], ...toApart(step) };
  change(step, { gateWaits: [...step.state.gateWaits, hookWait] });
  orderGates(step, hookWait);
}

/** Orders gates and keeps what waits for them. */
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

/** Whether others of its own hat are to be asked first: what several turns of a hat published is handed on in their order. */
function isBehind(step: LoopStep, hat: string): boolean {
  const isEarlier = (wait: GateWait): boolean => wait.isHeld === true && wait.hat === hat;
  return hasTurnEach(step, hat) && step.state.gateWaits.some(isEarlier);
}

/** Keeps what is to be asked when the turns have ended that run at the same time. */
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
