import type { RalphEvent } from '../../core/events/event.ts';
import { EXTERNAL, TOPIC_CONTINUE, TOPIC_GUIDANCE, TOPIC_RESUME } from '../../core/events/reserved.ts';
import type { HatSpec, LoopDetection } from '../../core/run/run-spec.ts';
import type { Activation, Footprint, PendingEvent, PlannedTurn, TimerWait } from '../../core/run/state.ts';
import type { Tell, TurnId } from '../../core/run/turn.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { readOwn } from '../../core/values/json.ts';
import { openPanel } from '../../panel/decide/index.ts';
import { hasTurns, safetyNetOf } from '../../topology/routing/index.ts';
import { addEvent, change, count, deliver, endRun, notify, order, type Step, setTimer } from './step.ts';

/** Fallback turns without any result after which a run is stalled. */
const STALLED_AFTER = 3;

/**
 * What comes next, once everything that an input brought is dealt with: end, wait, or the next turn.
 * Called at the end of every handler; does nothing while something is under way.
 */
export function proceed(step: Step): void {
  const { state } = step;
  if (state.status === 'ended' || state.activations.length > 0) return;
  if (state.stopping !== null) return endRun(step, state.stopping.reason, state.stopping.detail);
  if (state.status === 'parked' || state.gateWaits.length > 0) return;
  if (endByWork(step) || endByLimit(step)) return;
  if (state.timers.some(isHoldingBack)) return;
  if (coolDown(step)) return;
  dispatch(step);
}

/** Who would not let the run end: gates, hooks, or now these and now those. */
function toRefusedText({ gateRefusals, heldByHooks }: Step['state']): string {
  const claimed = `completion was claimed ${gateRefusals === 1 ? 'once' : `${gateRefusals} times in a row`}`;
  const each = gateRefusals === 1 ? '' : ' each time';
  if (heldByHooks === null) return `${claimed} and refused by a gate${each}`;
  const { count, last } = heldByHooks;
  if (count >= gateRefusals) return `${claimed} and held back by a hook${each}; the last one: ${last}`;
  return `${claimed}, refused by a gate and held back by a hook (${count} of ${gateRefusals}); the last hook: ${last}`;
}

function isHoldingBack({ purpose }: TimerWait): boolean {
  return purpose !== 'runtime' && purpose !== 'question';
}

/** Ends that say that the work goes nowhere. */
function endByWork(step: Step): boolean {
  const { state, topology } = step;
  const loop = findLoop(state.footprints, topology.spec.loopDetection);
  if (loop !== null) return end(step, 'loop_detected', loop);
  const { maxConsecutiveFailures } = state.limits;
  if (state.consecutiveFailures >= maxConsecutiveFailures) {
    const last = state.lastFailure === null ? '' : `; the last one: ${state.lastFailure.message}`;
    return end(step, 'consecutive_failures', `${toTurnsText(state.consecutiveFailures)} failed${last}`);
  }
  if (state.gateRefusals >= maxConsecutiveFailures) return end(step, 'gate_refused', toRefusedText(state));
  if (topology.coordination !== 'solo' && state.idleFallbacks >= STALLED_AFTER) {
    return end(step, 'stalled', `${state.idleFallbacks} fallback turns in a row published nothing and changed no file`);
  }
  return false;
}

/** Ends that say that a limit is used up, so that no further turn may start. */
function endByLimit(step: Step): boolean {
  const { state } = step;
  const { maxCostUsd, maxIterations, maxRuntimeMs } = state.limits;
  const { counted } = state.counters;
  const { costUsd } = state.usage;
  if (maxCostUsd !== null && costUsd !== null && costUsd >= maxCostUsd) {
    return end(step, 'max_cost', `${toUsdText(costUsd)} of ${toUsdText(maxCostUsd)} are spent`);
  }
  const elapsedMs = state.elapsedMs + (state.runningSince === null ? 0 : step.at - state.runningSince);
  if (elapsedMs >= maxRuntimeMs)
    return end(step, 'max_runtime', `${toDurationText(elapsedMs)} of ${toDurationText(maxRuntimeMs)} are used`);
  if (counted >= maxIterations) return end(step, 'max_iterations', `${counted} of ${maxIterations} iterations are used`);
  return false;
}

function end(step: Step, ...args: [Parameters<typeof endRun>[1], string]): true {
  endRun(step, ...args);
  return true;
}

/** Holds the next turn back for the cooldown, once after each turn, where one is set. True if it does. */
function coolDown(step: Step): boolean {
  const { limits, counters, cooled } = step.state;
  if (limits.cooldownMs <= 0 || counters.counted <= cooled) return false;
  change(step, { cooled: counters.counted });
  setTimer(step, step.at + limits.cooldownMs, 'cooldown');
  return true;
}

function toTurnsText(count: number): string {
  return count === 1 ? '1 turn' : `${count} turns in a row`;
}

/**
 * Looks for a loop at the end of the publications: `repetition` times the same hat, topic and payload, or `oscillation`
 * times the same pair in turn (A, B, A, B, A, B). A new payload is a new publication, so progress reports under one topic are no loop.
 *
 * @returns what was seen, in words: who published which topic with which payload, and how often; or `null`
 */
export function findLoop(footprints: readonly Footprint[], detection: LoopDetection): string | null {
  const last = footprints[footprints.length - 1];
  if (last === undefined) return null;
  if (repeats(footprints, detection.repetition, 1))
    return `${last.hat} published ${toEventText(last)} ${detection.repetition} times in a row, with the same payload each time`;
  const circle = findDefaultCircle(footprints, detection);
  if (circle !== null) return circle;
  const before = footprints[footprints.length - 2];
  if (before === undefined || isSame(before, last)) return null;
  if (!repeats(footprints, detection.oscillation, 2)) return null;
  return `${before.hat} and ${last.hat} exchanged the same two events ${detection.oscillation} times: ${before.hat} ${toEventText(before)}, ${last.hat} ${toEventText(last)}`;
}

/** Turns in a row that changed nothing and left it to their defaults, until the same default came up `oscillation` times. */
function findDefaultCircle(footprints: readonly Footprint[], { oscillation }: LoopDetection): string | null {
  const last = footprints[footprints.length - 1];
  if (last?.isDefault !== true || oscillation < 2) return null;
  const row = footprints.slice(footprints.findLastIndex((mark) => mark.isDefault !== true) + 1);
  const count = row.filter((mark) => isSame(mark, last)).length;
  if (count < oscillation) return null;
  const hats = [...new Set(row.map((mark) => mark.hat))];
  return `${hats.slice(0, SHOWN_HATS).join(', ')} changed no file and left it to default_publishes, round and round: ${last.hat} ${toEventText(last)} ${count} times`;
}

const SHOWN_HATS = 6;

/** `build.done ("tests pass")`; of an old journal nothing is known but that it was an event. */
function toEventText({ topic, excerpt = '' }: Footprint): string {
  if (topic === undefined) return 'the same event';
  return excerpt.length === 0 ? topic : `${topic} (${JSON.stringify(excerpt)})`;
}

/** True if the last `times * period` publications repeat with that period. */
function repeats(footprints: readonly Footprint[], times: number, period: number): boolean {
  const length = times * period;
  if (times < 2 || footprints.length < length) return false;
  const tail = footprints.slice(-length);
  return tail.every((mark, index) => index < period || isSame(mark, tail[index - period] as Footprint));
}

function isSame(left: Footprint, right: Footprint): boolean {
  return left.hat === right.hat && left.hash === right.hash;
}

/**
 * Starts the next turn: a planned one (a retry, an interrupted hat, a second chance), else the hat that owns the oldest
 * undelivered event with all its events, else the coordinator.
 */
function dispatch(step: Step): void {
  const plan = step.state.plans[0];
  if (plan !== undefined) {
    change(step, { plans: step.state.plans.slice(1) });
    queueTells(step, plan.hat, step.state.tells);
    return start(step, withHeard(step, releaseKept(step, passPlan(step, plan))));
  }
  if (step.state.pending.length === 0) callForTell(step);
  if (step.state.pending.length === 0) callFallback(step);
  passExhausted(step);
  const first = step.state.pending[0];
  if (first === undefined) return;
  queueTells(step, first.hat, step.state.tells);
  start(step, takePending(step, first.hat));
}

/** Whether what a person told is for this hat. */
export function isForHat({ to }: Tell, hat: string): boolean {
  return to === null || to === hat;
}

/** Makes an event of what a person told, which waits for the hat. */
export function queueTell(step: Step, { id, text, to, sender }: Tell, hat: string): void {
  const draft = { topic: TOPIC_GUIDANCE, payload: text, source: EXTERNAL, sender, told: id };
  addEvent(step, to === null ? draft : { ...draft, target: to }, [hat], 'target');
}

/** Nothing waits but what a person told: who worked last is asked to go on with it. */
function callForTell(step: Step): void {
  const { tells, lastHat } = step.state;
  const hat = lastHat !== null && hasTurns(step.topology, lastHat) ? lastHat : step.topology.fallback;
  queueTells(step, hat, tells);
}

/** What is for whoever works next goes to the hat whose turn begins. */
function queueTells(step: Step, hat: string, tells: readonly Tell[]): void {
  if (tells.length === 0) return;
  change(step, { tells: step.state.tells.filter((tell) => !tells.includes(tell)) });
  for (const tell of tells) queueTell(step, tell, hat);
}

/** An empty queue: the coordinator or the recovery hat is asked to go on. */
function callFallback(step: Step): void {
  const { topology } = step;
  const topic = topology.coordination === 'solo' ? TOPIC_CONTINUE : TOPIC_RESUME;
  deliver(step, { topic, payload: '', to: [topology.fallback], how: 'fallback' });
}

/** True if the hat has had all its activations. Ralph has no such limit. */
function isExhausted(step: Step, hat: string): boolean {
  const limit = step.topology.hatById.get(hat)?.maxActivations ?? null;
  return limit !== null && (readOwn(step.state.activationCounts, hat) ?? 0) >= limit;
}

/** A new turn that was planned for a hat without activations left goes to Ralph; another attempt of a turn is none of its own. */
function passPlan(step: Step, plan: PlannedTurn): PlannedTurn {
  if (plan.retryOf !== null || !isExhausted(step, plan.hat)) return plan;
  recordExhausted(step, plan.hat, plan.events);
  return { ...plan, hat: safetyNetOf(step.topology), fallback: 'exhausted' };
}

/** Events of hats that have had all their activations go to Ralph: of all such hats at once, as they may be owed the same event. */
function passExhausted(step: Step): void {
  const { pending } = step.state;
  const first = pending[0];
  if (first === undefined || !isExhausted(step, first.hat)) return;
  const hats = [...new Set(pending.map((entry) => entry.hat))].filter((hat) => isExhausted(step, hat));
  const eventsOf = (hat: string): readonly RalphEvent[] => pending.filter((entry) => entry.hat === hat).map((entry) => entry.event);
  for (const hat of hats) recordExhausted(step, hat, eventsOf(hat));
  const to = safetyNetOf(step.topology);
  change(step, { pending: pending.map((entry) => (hats.includes(entry.hat) ? { ...entry, hat: to, cause: 'exhausted' } : entry)) });
}

/** What people told a conversation that this turn does not go on with is given again. */
function releaseKept(step: Step, plan: PlannedTurn): PlannedTurn {
  const { kept, ...rest } = plan;
  if (kept === undefined || (kept.hat === plan.hat && kept.backend === backendOf(step, plan.hat))) return plan;
  for (const { tell } of kept.tells) queueTell(step, tell, plan.hat);
  return rest;
}

function backendOf(step: Step, hat: string): number {
  return readOwn(step.state.backendOf, hat) ?? 0;
}

/** Puts `<hat>.exhausted` into the record, with the topics that somebody else gets now. */
function recordExhausted(step: Step, hat: string, events: readonly RalphEvent[]): void {
  const limit = step.topology.hatById.get(hat)?.maxActivations ?? 0;
  const payload = { max_activations: limit, events: events.map((event) => event.topic) };
  deliver(step, { topic: `${hat}.exhausted`, payload, to: [], how: 'record' });
  notify(step, 'warning', 'hat-exhausted', `${hat} has had its ${limit} activations; ${safetyNetOf(step.topology)} gets its events.`);
}

/** The events that wait for a hat (of one with `takes: one` the oldest), each once: who stands in for several hats may be owed the same event by each of them. */
function takePending(step: Step, hat: string): PlannedTurn {
  const waiting = step.state.pending.filter((entry) => entry.hat === hat);
  const entries = step.topology.hatById.get(hat)?.takes === 'one' ? takeOne(waiting) : waiting;
  change(step, { pending: step.state.pending.filter((entry) => !entries.includes(entry)) });
  const asked = entries.some((entry) => entry.cause === undefined);
  const fallback = asked ? null : (entries[0]?.cause ?? null);
  return { retryOf: null, hat, events: eachOnce(entries.map(({ event }) => event)), feedback: [], fallback };
}

/** One task, and all that people told: that is no task of its own. */
function takeOne(waiting: readonly PendingEvent[]): readonly PendingEvent[] {
  const first = waiting.find(({ event }) => event.told === undefined);
  return waiting.filter((entry) => entry === first || entry.event.told !== undefined);
}

/** A turn that was planned before also gets what people have said to its hat since. */
function withHeard(step: Step, plan: PlannedTurn): PlannedTurn {
  const events = takeHeard(step, plan);
  return events === plan.events ? plan : { ...plan, events };
}

/** Takes what people have for a hat out of the queue, and adds what the turn does not have yet: it may have stood in for another taker of the same event. */
function takeHeard(step: Step, { hat, events }: Pick<PlannedTurn, 'hat' | 'events'>): readonly RalphEvent[] {
  const isTaken = (entry: PendingEvent): boolean => entry.hat === hat && entry.event.source === EXTERNAL;
  const taken = step.state.pending.filter(isTaken);
  if (taken.length === 0) return events;
  change(step, { pending: step.state.pending.filter((entry) => !isTaken(entry)) });
  return eachOnce([...events, ...taken.map(({ event }) => event)]);
}

function eachOnce(events: readonly RalphEvent[]): readonly RalphEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** Gives the turn that is about to begin what people have for its hat, and orders it again: its prompt is not written yet. */
export function joinOpening(step: Step, { iteration, attempt }: TurnId): void {
  const opening = step.state.activations.find((entry) => entry.iteration === iteration && entry.attempt === attempt);
  if (opening === undefined) return;
  const events = takeHeard(step, opening);
  if (events.length === opening.events.length) return;
  const joined = { ...opening, events };
  change(step, { activations: step.state.activations.map((entry) => (entry === opening ? joined : entry)) });
  orderTurn(step, joined, true);
}

/** Takes what is to be told to a hat. */
function takeFeedback(step: Step, hat: string): PlannedTurn['feedback'] {
  const known = readOwn(step.state.feedback, hat) ?? [];
  const { [hat]: _, ...rest } = step.state.feedback;
  change(step, { feedback: rest });
  return known;
}

function start(step: Step, plan: PlannedTurn): void {
  const { hat, events, fallback } = plan;
  const feedback = [...plan.feedback, ...takeFeedback(step, hat)];
  const { iteration, attempt }: TurnId =
    plan.retryOf === null
      ? { iteration: count(step, 'iteration'), attempt: 1 }
      : { iteration: plan.retryOf.iteration, attempt: plan.retryOf.attempt + 1 };
  const backend = backendOf(step, hat);
  const counts = step.state.activationCounts;
  // Written out, not spread: what follows a spread is set one by one, and this is done at every turn that is read back.
  const fresh = { iteration, attempt, hat, backend, events, feedback, fallback, startedAt: step.at, pid: null, processStart: null };
  const told: Activation = plan.kept === undefined ? fresh : { ...fresh, told: plan.kept.tells };
  const spec = step.topology.hatById.get(hat)?.panel;
  const turn = spec === undefined ? told : { ...told, panel: openPanel(spec, plan.panel) };
  change(step, {
    activations: [...step.state.activations, turn],
    activationCounts: plan.retryOf === null ? { ...counts, [hat]: (readOwn(counts, hat) ?? 0) + 1 } : counts,
  });
  orderTurn(step, turn);
}

function orderTurn(step: Step, { iteration, attempt, hat, backend, events, feedback, fallback, panel }: Activation, isAgain = false): void {
  const { timeoutMs, idleTimeoutMs } = wearerOf(step, hat);
  const limits = { timeoutMs, idleTimeoutMs, ...(panel === undefined ? {} : { panel }), ...(isAgain ? { isAgain } : {}) };
  order(step, { type: 'iteration-start', iteration, attempt, hat, backend, events, feedback, fallback, ...limits });
}

/** The limits of whoever wears the hat. */
export function wearerOf(step: Step, hat: string): Pick<HatSpec, 'timeoutMs' | 'idleTimeoutMs' | 'backends'> {
  const known = step.topology.hatById.get(hat);
  if (known?.panel === undefined) return known ?? step.topology.spec.ralph;
  // They are those of its agents: none stands in for another.
  return { ...known, backends: known.backends.slice(0, 1) };
}
