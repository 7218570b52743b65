import type { RalphEvent, Tell } from '../../core/events/event.ts';
import { EXTERNAL, TOPIC_CONTINUE, TOPIC_RESUME } from '../../core/events/reserved.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { PanelSpec } from '../../core/run/panel-spec.ts';
import type { PanelState } from '../../core/run/panel-state.ts';
import type { Activation, PendingEvent, PlannedTurn, TimerWait } from '../../core/run/state.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { readOwn } from '../../core/values/json.ts';
import { openPanel } from '../../panel/decide/panel-step.ts';
import { hasTurns, safetyNetOf } from '../../topology/routing/queries.ts';
import { closeBatch, findNext, isExhausted, isInCopies, maySharePlan, placesOf, planBatch } from './batch.ts';
import { releaseHeld } from './complete.ts';
import { findLoop } from './find-loop.ts';
import {
  change,
  count,
  deliver,
  endRun,
  type LoopStep,
  notify,
  order,
  queueTell,
  setTimer,
  stopClock,
  takeFeedback,
  toTurnPlace,
  wearerOf,
} from './step.ts';

/** Fallback turns without any result after which a run is stalled. */
const STALLED_AFTER = 3;

/**
 * What comes next, once everything that an input brought is dealt with: end, wait, or the next turns.
 * Called once a handler says so (`goOn`); while something is under way it only adds to what runs at the same time.
 */
export function proceed(step: LoopStep): void {
  step.iteration = null;
  const { state } = step;
  if (state.status === 'ended') return;
  if (state.activations.length > 0) return joinBatch(step);
  if (state.stopping !== null) return endRun(step, state.stopping.reason, state.stopping.detail, state.stopping.attention);
  if (goesOn(step)) return;
  endBatch(step);
  if (isHeldBack(step)) return;
  const end = findEnd(step);
  if (end !== null) return endRun(step, end.reason, end.detail);
  if (step.state.timers.some(isHoldingBack)) return;
  if (coolDown(step)) return;
  dispatch(step);
}

/** Whether nothing may follow: the run is over, waits for a usage limit, or for gates. */
function isHeldBack({ state: { status, gateWaits } }: LoopStep): boolean {
  return status === 'ended' || status === 'parked' || gateWaits.length > 0;
}

/** The turns that ran at the same time have all ended: handles what waited for that; what also waits for gates is handled when they have answered. */
function endBatch(step: LoopStep): void {
  if ((step.state.batch ?? null) !== null) {
    closeBatch(step);
    parkIfLimited(step);
  }
  releaseHeld(step);
}

/** A usage limit that was met while others worked parks the run when they have ended. */
function parkIfLimited(step: LoopStep): void {
  if (step.state.status === 'parked' || !step.state.timers.some(({ purpose }) => purpose === 'limit')) return;
  stopClock(step);
  change(step, { status: 'parked' });
}

/** Retries of turns that run at the same time start before what waits for all of them. True if there are any. */
function goesOn(step: LoopStep): boolean {
  const { batch = null, plans, gateWaits, tells } = step.state;
  const next = plans.find((plan) => maySharePlan(step, plan));
  if (batch === null || next === undefined || findEnd(step) !== null) return false;
  parkIfLimited(step);
  if (step.state.timers.some(isHoldingBack) || gateWaits.some(({ isHeld }) => isHeld !== true)) return true;
  queueTells(step, next.hat, tells);
  fillBatch(step);
  return true;
}

/** Says what refused the end: gates, hooks, or both in turn. */
function toRefusedText({ gateRefusals, heldByHooks }: LoopStep['state']): string {
  const claimed = `completion was claimed ${gateRefusals === 1 ? 'once' : `${gateRefusals} times in a row`}`;
  const each = gateRefusals === 1 ? '' : ' each time';
  if (heldByHooks === null) return `${claimed} and refused by a gate${each}`;
  const { count: held, last } = heldByHooks;
  if (held >= gateRefusals) return `${claimed} and held back by a hook${each}; the last one: ${last}`;
  return `${claimed}, refused by a gate and held back by a hook (${held} of ${gateRefusals}); the last hook: ${last}`;
}

function isHoldingBack({ purpose }: TimerWait): boolean {
  return purpose !== 'runtime' && purpose !== 'question';
}

/** An end that is due before another turn may begin. */
interface DueEnd {
  readonly reason: EndReason;
  readonly detail: string;
}

function findEnd(step: LoopStep): DueEnd | null {
  return findEndByWork(step) ?? findEndByLimit(step);
}

/** Ends for work that makes no progress. */
function findEndByWork({ state, topology }: LoopStep): DueEnd | null {
  const loop = findLoop(state.footprints, topology.spec.loopDetection);
  if (loop !== null) return { reason: 'loop_detected', detail: loop };
  const { maxConsecutiveFailures } = state.limits;
  if (state.consecutiveFailures >= maxConsecutiveFailures) {
    const last = state.lastFailure === null ? '' : `; the last one: ${state.lastFailure.message}`;
    return { reason: 'consecutive_failures', detail: `${toTurnsText(state.consecutiveFailures)} failed${last}` };
  }
  if (state.gateRefusals >= maxConsecutiveFailures) return { reason: 'gate_refused', detail: toRefusedText(state) };
  if (topology.coordination !== 'solo' && state.idleFallbacks >= STALLED_AFTER)
    return { reason: 'stalled', detail: `${state.idleFallbacks} fallback turns in a row published nothing and changed no file` };
  return null;
}

/** Ends for a limit that is used up, so that no further turn may start. */
function findEndByLimit({ state, at }: LoopStep): DueEnd | null {
  const { maxCostUsd, maxIterations, maxRuntimeMs } = state.limits;
  const { counted } = state.counters;
  const { costUsd } = state.usage;
  if (maxCostUsd !== null && costUsd !== null && costUsd >= maxCostUsd)
    return { reason: 'max_cost', detail: `${toUsdText(costUsd)} of ${toUsdText(maxCostUsd)} are spent` };
  const elapsedMs = state.elapsedMs + (state.runningSince === null ? 0 : at - state.runningSince);
  if (elapsedMs >= maxRuntimeMs)
    return { reason: 'max_runtime', detail: `${toDurationText(elapsedMs)} of ${toDurationText(maxRuntimeMs)} are used` };
  if (counted >= maxIterations) return { reason: 'max_iterations', detail: `${counted} of ${maxIterations} iterations are used` };
  return null;
}

/** Holds the next turn back for the cooldown, once after each turn, where one is set. True if it does. */
function coolDown(step: LoopStep): boolean {
  const { limits, counters, cooled } = step.state;
  if (limits.cooldownMs <= 0 || counters.counted <= cooled) return false;
  change(step, { cooled: counters.counted });
  setTimer(step, step.at + limits.cooldownMs, 'cooldown');
  return true;
}

function toTurnsText(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns in a row`;
}

/**
 * Starts the next turn: a planned one (a retry, an interrupted hat, a second chance), else the hat that owns the oldest
 * undelivered event with all its events, else the coordinator. Where hats work at the same time, those behind it begin with it.
 */
function dispatch(step: LoopStep): void {
  if (beginBatch(step)) return;
  const plan = step.state.plans[0];
  if (plan !== undefined) {
    queueTells(step, plan.hat, step.state.tells);
    return startPlanned(step, plan);
  }
  if (step.state.pending.length === 0) callForTell(step);
  if (step.state.pending.length === 0) callFallback(step);
  passExhausted(step);
  const first = step.state.pending[0];
  if (first === undefined) return;
  queueTells(step, first.hat, step.state.tells);
  startTurn(step, takePending(step, first.hat), false);
}

function startPlanned(step: LoopStep, plan: PlannedTurn, isApart = false): void {
  change(step, { plans: step.state.plans.filter((entry) => entry !== plan) });
  startTurn(step, withHeard(step, releaseKept(step, passPlan(step, plan))), isApart);
}

/** Starts turns that run at the same time, if the next one may and there is another one. */
function beginBatch(step: LoopStep): boolean {
  if (step.state.plans.length === 0) passExhausted(step);
  const batch = planBatch(step);
  if (batch === null) return false;
  change(step, batch);
  const { plans, pending, tells } = step.state;
  queueTells(step, plans[0]?.hat ?? pending[0]?.hat ?? '', tells);
  fillBatch(step);
  return true;
}

/** Adds turns to those that run at the same time, unless something forbids it. */
function joinBatch(step: LoopStep): void {
  const { batch = null, stopping, gateWaits, timers } = step.state;
  if (batch === null || stopping !== null || findEnd(step) !== null) return;
  // A claimed completion is decided before another turn begins.
  if (gateWaits.some(({ completion }) => completion !== null) || timers.some(({ purpose }) => purpose === 'limit')) return;
  fillBatch(step);
}

function fillBatch(step: LoopStep): void {
  for (let next = findNext(step); next !== null; next = findNext(step)) {
    if ('events' in next) startPlanned(step, next, true);
    else startTurn(step, takePending(step, next.hat), true);
  }
}

/** Only a person's message waits: the hat that worked last gets it. */
function callForTell(step: LoopStep): void {
  const { tells, lastHat } = step.state;
  const hat = lastHat !== null && hasTurns(step.topology, lastHat) ? lastHat : step.topology.fallback;
  queueTells(step, hat, tells);
}

/** Messages without a hat go to the hat whose turn begins. */
function queueTells(step: LoopStep, hat: string, tells: readonly Tell[]): void {
  if (tells.length === 0) return;
  change(step, { tells: step.state.tells.filter((tell) => !tells.includes(tell)) });
  for (const tell of tells) queueTell(step, tell, hat);
}

/** Nothing waits: the coordinator or the recovery hat is called. */
function callFallback(step: LoopStep): void {
  const { topology } = step;
  const topic = topology.coordination === 'solo' ? TOPIC_CONTINUE : TOPIC_RESUME;
  deliver(step, { topic, payload: '', to: [topology.fallback], how: 'fallback' });
}

/** A new turn that was planned for a hat without activations left goes to Ralph; a retry is not a new turn. */
function passPlan(step: LoopStep, plan: PlannedTurn): PlannedTurn {
  if (plan.retryOf !== null || !isExhausted(step, plan.hat)) return plan;
  recordExhausted(step, plan.hat, plan.events);
  return { ...plan, hat: safetyNetOf(step.topology), fallback: 'exhausted' };
}

/** Events of hats that have had all their activations go to Ralph: of all such hats at once, as they may be owed the same event. */
function passExhausted(step: LoopStep): void {
  const { pending } = step.state;
  const first = pending[0];
  if (first === undefined || !isExhausted(step, first.hat)) return;
  const hats = [...new Set(pending.map((entry) => entry.hat))].filter((hat) => isExhausted(step, hat));
  const eventsOf = (hat: string): readonly RalphEvent[] => pending.filter((entry) => entry.hat === hat).map((entry) => entry.event);
  for (const hat of hats) recordExhausted(step, hat, eventsOf(hat));
  const to = safetyNetOf(step.topology);
  change(step, { pending: pending.map((entry) => (hats.includes(entry.hat) ? { ...entry, hat: to, cause: 'exhausted' } : entry)) });
}

/** Messages told to a conversation that this turn does not continue are given again. */
function releaseKept(step: LoopStep, plan: PlannedTurn): PlannedTurn {
  const { kept, ...rest } = plan;
  if (kept === undefined || (kept.hat === plan.hat && kept.backend === backendOf(step, plan.hat))) return plan;
  for (const { tell } of kept.tells) queueTell(step, tell, plan.hat);
  return rest;
}

/** Puts `<hat>.exhausted` into the record, with the topics that somebody else gets now. */
function recordExhausted(step: LoopStep, hat: string, events: readonly RalphEvent[]): void {
  const limit = step.topology.hatById.get(hat)?.maxActivations ?? 0;
  const payload = { max_activations: limit, events: events.map((event) => event.topic) };
  deliver(step, { topic: `${hat}.exhausted`, payload, to: [], how: 'record' });
  notify(step, 'warning', 'hat-exhausted', `${hat} has had its ${limit} activations; ${safetyNetOf(step.topology)} gets its events.`);
}

/** The events that wait for a hat (of one with `takes: one` the oldest), each once: a stand-in for several hats may get the same event from each of them. */
function takePending(step: LoopStep, hat: string): PlannedTurn {
  const waiting = step.state.pending.filter((entry) => entry.hat === hat);
  const entries = takesOne(step, hat) ? takeOne(waiting) : waiting;
  change(step, { pending: step.state.pending.filter((entry) => !entries.includes(entry)) });
  const fallback = entries.some(({ cause }) => cause === undefined) ? null : (entries[0]?.cause ?? null);
  return { retryOf: null, hat, events: eachOnce(entries.map(({ event }) => event)), feedback: [], fallback };
}

/** One task, and every message from people: a message is not a task. */
function takeOne(waiting: readonly PendingEvent[]): readonly PendingEvent[] {
  const first = waiting.find(({ event }) => event.told === undefined);
  return waiting.filter((entry) => entry === first || entry.event.told !== undefined);
}

/**
 * Starts a turn.
 *
 * @param isApart whether others work at the same time
 */
function startTurn(step: LoopStep, plan: PlannedTurn, isApart: boolean): void {
  const { hat, events, fallback } = plan;
  const feedback = [...plan.feedback, ...takeFeedback(step, hat)];
  const { iteration, attempt }: TurnId =
    plan.retryOf === null
      ? { iteration: count(step, 'iteration'), attempt: 1 }
      : { iteration: plan.retryOf.iteration, attempt: plan.retryOf.attempt + 1 };
  const backend = backendOf(step, hat);
  const counts = step.state.activationCounts;
  // Written out, not spread: properties after a spread are set one by one, and this runs for every turn that is replayed.
  const fresh = { iteration, attempt, hat, backend, events, feedback, fallback, startedAt: step.at, pid: null, processStart: null };
  // By a newer configuration, a hat with a turn planned for a copy may work in the folder itself.
  const copy = isInCopies(step, hat) ? (plan.copy ?? (isApart ? toTurnName({ iteration, attempt }) : undefined)) : undefined;
  const place = placesOf(step, hat) > 1 ? { place: plan.place ?? iteration } : {};
  const placed: Activation = copy === undefined ? fresh : { ...fresh, copy, ...place };
  const told: Activation = plan.kept === undefined ? placed : { ...placed, told: plan.kept.tells };
  const spec = step.topology.hatById.get(hat)?.panel;
  const turn = spec === undefined ? told : { ...told, panel: openTurnPanel(step, spec, plan.panel) };
  change(step, {
    activations: [...step.state.activations, turn],
    activationCounts: plan.retryOf === null ? { ...counts, [hat]: (readOwn(counts, hat) ?? 0) + 1 } : counts,
  });
  orderTurn(step, turn);
}

function orderTurn(step: LoopStep, turn: Activation, isAgain = false): void {
  const { iteration, attempt, hat, backend, events, feedback, fallback, panel, copy } = turn;
  const { timeoutMs, idleTimeoutMs } = wearerOf(step, hat);
  const place = { ...(copy === undefined ? {} : { copy }), ...toTurnPlace(turn) };
  const limits = { timeoutMs, idleTimeoutMs, ...place, ...(panel === undefined ? {} : { panel }), ...(isAgain ? { isAgain } : {}) };
  order(step, { type: 'iteration-start', iteration, attempt, hat, backend, events, feedback, fallback, ...limits });
}

/** The panel of a turn that begins: that of the turn it continues, if its agents are the same. */
function openTurnPanel(step: LoopStep, spec: PanelSpec, kept: PanelState | undefined): PanelState {
  const panel = openPanel(spec, kept);
  if (kept !== undefined && kept.answers.length > panel.answers.length) {
    const words = 'The agents of this panel are others now, or stand in another order: it begins anew, without what was handed in before.';
    notify(step, 'warning', 'panel-changed', words);
  }
  return panel;
}

/** Which backend of a hat's list takes its turns now, by place. */
function backendOf(step: LoopStep, hat: string): number {
  return readOwn(step.state.backendOf, hat) ?? 0;
}

/** A turn that was planned before also gets what people have said to its hat since. */
function withHeard(step: LoopStep, plan: PlannedTurn): PlannedTurn {
  const events = takeHeard(step, plan);
  return events === plan.events ? plan : { ...plan, events };
}

/** Takes what people have for a hat out of the queue, and adds what the turn does not have yet: it may have stood in for another taker of the same event. */
function takeHeard(step: LoopStep, { hat, events }: Pick<PlannedTurn, 'hat' | 'events'>): readonly RalphEvent[] {
  // A hat with `takes: one` gets no second event; a person's message is not one.
  const isOwn = ({ event }: PendingEvent): boolean => !takesOne(step, hat) || event.told !== undefined;
  const isTaken = (entry: PendingEvent): boolean => entry.hat === hat && entry.event.source === EXTERNAL && isOwn(entry);
  const taken = step.state.pending.filter(isTaken);
  if (taken.length === 0) return events;
  change(step, { pending: step.state.pending.filter((entry) => !isTaken(entry)) });
  return eachOnce([...events, ...taken.map(({ event }) => event)]);
}

/**
 * Gives the turn that is about to begin what people have for its hat, and orders it again: its prompt is not written yet. Where the run is to stop, that waits for the next
 * turn: the order to end this one may be on its way already, and would find nothing to end before the second order.
 */
export function joinOpening(step: LoopStep, { iteration, attempt }: TurnId): void {
  const opening = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  if (opening === undefined || step.state.stopping !== null) return;
  const events = takeHeard(step, opening);
  if (events.length === opening.events.length) return;
  const joined = { ...opening, events };
  change(step, { activations: step.state.activations.map((entry) => (entry === opening ? joined : entry)) });
  orderTurn(step, joined, true);
}

function takesOne({ topology }: LoopStep, hat: string): boolean {
  return topology.hatById.get(hat)?.takes === 'one';
}

function eachOnce(events: readonly RalphEvent[]): readonly RalphEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
