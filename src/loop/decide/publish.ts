import {
  type DeliveryKind,
  type EventDraft,
  EXTERNAL,
  type FallbackCause,
  type Footprint,
  type Json,
  type RalphEvent,
  SYSTEM,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_TASK_DONE,
  toBlockedTopic,
  toComparablePayload,
  toPayloadText,
  toTextHash,
} from '../../core/index.ts';
import { hasTurns, isTerminalTopic, safetyNetOf, takersOf } from '../../topology/index.ts';
import { change, count, notify, order, type Step } from './step.ts';

/** An event that the loop itself publishes, with its receivers already known. */
export interface SystemPublication {
  readonly topic: string;
  readonly payload: Json;
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}

/** Publishes an event of the loop's own. */
export function deliver(step: Step, publication: SystemPublication): RalphEvent {
  const { topic, payload, to, how } = publication;
  return put(step, { topic, payload, source: SYSTEM }, to, how);
}

/** Publishes what agents wrote, in order: each event gets its id, its receivers and its place in the queue. */
export function publishDrafts(step: Step, drafts: readonly EventDraft[]): void {
  const seen: Footprint[] = [];
  for (const draft of drafts) {
    const [to, how] = findReceivers(step, draft);
    const event = put(step, draft, to, how);
    if (draft.by === 'default') order(step, { type: 'inbox-append', event });
    if (isOwnWord(step, draft)) addFootprint(seen, draft);
  }
  change(step, { footprints: keepFootprints(step, [...step.state.footprints, ...seen]) });
}

/** Records a draft without giving it to anybody. */
export function recordDraft(step: Step, draft: EventDraft, how: DeliveryKind): RalphEvent {
  return put(step, draft, [], how);
}

/**
 * Who gets an event: its target; else the takers of its topic; else nobody for a terminal topic; else Ralph, the safety net
 * (in `mode: single` everything has a taker).
 */
function findReceivers(step: Step, draft: EventDraft): readonly [readonly string[], DeliveryKind] {
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

function put(step: Step, draft: EventDraft, to: readonly string[], how: DeliveryKind): RalphEvent {
  const id = `e${count(step, 'event')}`;
  const { topic, payload, source } = draft;
  const base: RalphEvent = { id, topic, payload, source, ts: step.at, iteration: step.state.counters.iteration };
  const named = draft.target === undefined ? base : { ...base, target: draft.target };
  const event = draft.sender === undefined ? named : { ...named, sender: draft.sender };
  if (to.length > 0) enqueue(step, event, to, how);
  if (how !== 'undelivered') noteRequired(step, topic);
  order(step, { type: 'event-publish', event, to, how });
  return event;
}

function enqueue(step: Step, event: RalphEvent, to: readonly string[], how: DeliveryKind): void {
  const cause = toCause(step, how);
  const entries = to.map((hat) => (cause === null ? { hat, event } : { hat, event, cause }));
  change(step, { pending: [...step.state.pending, ...entries] });
}

/** In solo everything is the one agent's own business. */
function toCause(step: Step, how: DeliveryKind): FallbackCause | null {
  if (step.topology.coordination === 'solo') return null;
  if (how === 'fallback') return 'empty-queue';
  return how === 'safety-net' ? 'untaken' : null;
}

function noteRequired(step: Step, topic: string): void {
  const { requiredEvents } = step.topology.spec;
  if (!requiredEvents.includes(topic) || step.state.seenRequired.includes(topic)) return;
  change(step, { seenRequired: [...step.state.seenRequired, topic] });
}

/**
 * True if saying it again and again is a loop: an agent chose to say it, or a turn that changed nothing left it to its default. People may
 * repeat themselves, and in `mode: single` `task.done` and `task.continue` only ask for the next turn.
 */
function isOwnWord(step: Step, draft: EventDraft): boolean {
  const goesOn = draft.topic === TOPIC_TASK_DONE || draft.topic === TOPIC_CONTINUE;
  // The same claim, refused by the same gate with the same output, is a loop too; a refused completion has its own limit.
  const isRefusal = draft.by !== 'default' && draft.by !== 'escalation' && draft.topic !== toBlockedTopic(TOPIC_COMPLETE);
  const isOwn = draft.by === undefined || isRefusal || draft.isIdle === true;
  return isOwn && authorOf(draft) !== EXTERNAL && !(step.topology.classic && goesOn);
}

function addFootprint(seen: Footprint[], draft: EventDraft): void {
  const hash = toTextHash(`${draft.topic}\n${toComparablePayload(draft.payload)}`);
  const hat = authorOf(draft);
  if (seen.some((mark) => mark.hat === hat && mark.hash === hash)) return;
  const mark: Footprint = { hat, hash, topic: draft.topic, excerpt: toExcerpt(draft.payload) };
  seen.push(draft.isIdle === true ? { ...mark, isDefault: true } : mark);
}

function authorOf({ source, publishedBy }: EventDraft): string {
  return publishedBy ?? source;
}

function toExcerpt(payload: Json): string {
  const text = toPayloadText(payload)
    .slice(0, EXCERPT_LENGTH * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, EXCERPT_LENGTH - 1)}…`;
}

/** Characters of a payload by which people know it again. */
const EXCERPT_LENGTH = 60;

/** A circle of defaults may go over as many hats as there are. */
const MAX_DEFAULTS_KEPT = 1000;

function keepFootprints(step: Step, marks: readonly Footprint[]): readonly Footprint[] {
  const { repetition, oscillation } = step.topology.spec.loopDetection;
  const defaults = marks.length - 1 - marks.findLastIndex((mark) => mark.isDefault !== true);
  return marks.slice(-Math.max(repetition, oscillation * 2, 1, Math.min(defaults, MAX_DEFAULTS_KEPT)));
}
