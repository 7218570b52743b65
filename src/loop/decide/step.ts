import type { EventDraft, RalphEvent, Tell } from '../../core/events/event.ts';
import { EXTERNAL, SYSTEM, TOPIC_GUIDANCE } from '../../core/events/reserved.ts';
import type { DeliveryKind, Effect, Notice, RejectionCause } from '../../core/run/effects.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { FallbackCause, Feedback, TimerPurpose } from '../../core/run/feedback.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import type { Counters, PlannedTurn, RunState, Stopping } from '../../core/run/state.ts';
import { type Json, readOwn } from '../../core/values/json.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';

/**
 * One decision under way: the state so far and the effects so far. Only the functions below change it. What the caller gave is never changed: the first
 * `change` copies the state, those after it go into the copy. What the parts of the state hold is replaced, never changed.
 */
export interface LoopStep {
  readonly topology: Topology;
  /** The input's time. */
  readonly at: number;
  state: RunState;
  /** The iteration that what is published comes from, where that need not be the newest one; `null`: the newest. */
  iteration: number | null;
  /** True once `state` is this decision's own copy. */
  isCopied: boolean;
  /** See {@link goOn}. */
  goesOn: boolean;
  readonly effects: Effect[];
}

/** Says that all is dealt with that the input brought: what comes next may begin. */
export function goOn(step: LoopStep): void {
  step.goesOn = true;
}

/** Replaces parts of the state. Whoever holds `step.state` sees it; whoever took a part out of it holds the old one. */
export function change(step: LoopStep, patch: Partial<RunState>): void {
  if (step.isCopied) return void Object.assign(step.state, patch);
  step.state = { ...step.state, ...patch };
  step.isCopied = true;
}

export function order(step: LoopStep, effect: Effect): void {
  step.effects.push(effect);
}

export function count(step: LoopStep, name: keyof Counters): number {
  const next = step.state.counters[name] + 1;
  change(step, { counters: { ...step.state.counters, [name]: next } });
  return next;
}

export function notify(step: LoopStep, level: Notice['level'], code: string, text: string): void {
  order(step, { type: 'notice', level, code, text });
}

/** Keeps something to tell a hat at its next turn. People from outside have no turn. */
export function tell(step: LoopStep, hat: string, feedback: Feedback): void {
  if (hat === EXTERNAL) return;
  const known = readOwn(step.state.feedback, hat) ?? [];
  change(step, { feedback: { ...step.state.feedback, [hat]: [...known, feedback].slice(-20) } });
}

export function takeFeedback(step: LoopStep, hat: string): PlannedTurn['feedback'] {
  const known = readOwn(step.state.feedback, hat) ?? [];
  const { [hat]: _, ...rest } = step.state.feedback;
  change(step, { feedback: rest });
  return known;
}

export function setTimer(step: LoopStep, dueAt: number, purpose: TimerPurpose): void {
  const timer = count(step, 'timer');
  change(step, { timers: [...step.state.timers, { timer, dueAt, purpose }] });
  order(step, { type: 'timer-set', timer, dueAt, purpose });
}

/**
 * Asks the running turns to end; the run ends when they have. The first reason stays.
 *
 * @returns false if no turn runs
 */
export function stopTurns(step: LoopStep, stopping: Stopping, force: boolean): boolean {
  if (step.state.activations.length === 0) return false;
  change(step, { stopping: step.state.stopping ?? stopping });
  for (const { iteration, attempt } of step.state.activations) order(step, { type: 'iteration-stop', iteration, attempt, force });
  return true;
}

/** Ends the run: its clock stops, timers are forgotten, what is pending stays for a resume. */
export function endRun(step: LoopStep, reason: EndReason, detail: string, attention?: string): void {
  stopClock(step);
  const end = { reason, detail, ...(attention === undefined ? {} : { attention }) };
  change(step, { status: 'ended', end, stopping: null, timers: step.state.timers.filter(isHolding) });
  order(step, { type: 'run-end', ...end });
}

/** Ends the run when the turns at work have ended; now where there is none. */
export function endAfterTurns(step: LoopStep, reason: EndReason, detail: string, attention?: string): void {
  if (step.state.activations.length === 0) return endRun(step, reason, detail, attention);
  const stopping = { reason, detail, ...(attention === undefined ? {} : { attention }) };
  change(step, { stopping: step.state.stopping ?? stopping });
}

function isHolding(timer: { readonly purpose: TimerPurpose }): boolean {
  return timer.purpose === 'limit' || timer.purpose === 'retry';
}

/** Starts the clock of `max_runtime_seconds`, with its timer. */
export function startClock(step: LoopStep): void {
  if (step.state.runningSince !== null) return;
  change(step, { runningSince: step.at });
  setTimer(step, step.at + Math.max(0, step.state.limits.maxRuntimeMs - step.state.elapsedMs), 'runtime');
}

/** Stops the clock of `max_runtime_seconds`: time that the run spends parked or dead is not running time. */
export function stopClock(step: LoopStep): void {
  const { runningSince, elapsedMs, timers } = step.state;
  if (runningSince === null) return;
  const until = step.at > runningSince ? step.at : runningSince;
  change(step, {
    runningSince: null,
    elapsedMs: elapsedMs + (until - runningSince),
    timers: timers.filter((timer) => timer.purpose !== 'runtime'),
  });
}

/** An event that the loop itself publishes, with its receivers already known. */
interface SystemPublication {
  readonly topic: string;
  readonly payload: Json;
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}

export function deliver(step: LoopStep, { topic, payload, to, how }: SystemPublication): void {
  addEvent(step, { topic, payload, source: SYSTEM }, to, how);
}

/** Records a draft without giving it to anybody. */
export function recordDraft(step: LoopStep, draft: EventDraft, how: DeliveryKind): void {
  addEvent(step, draft, [], how);
}

function iterationOf({ iteration, state }: LoopStep): number {
  return iteration ?? state.counters.iteration;
}

/** Whether others still work who ran at the same time as the turn that is dealt with: gates would look at a folder that is being changed. */
export function isAmongOthers({ iteration, state }: LoopStep): boolean {
  return iteration !== null && state.activations.length > 0;
}

/** Makes a draft an event: it gets its id, and its place in the queue of each receiver. */
export function addEvent(step: LoopStep, draft: EventDraft, to: readonly string[], how: DeliveryKind): RalphEvent {
  const id = `e${count(step, 'event')}`;
  const { topic, payload, source } = draft;
  const base: RalphEvent = { id, topic, payload, source, ts: step.at, iteration: iterationOf(step) };
  const named = draft.target === undefined ? base : { ...base, target: draft.target };
  const sent = draft.sender === undefined ? named : { ...named, sender: draft.sender };
  const event = draft.told === undefined ? sent : { ...sent, told: draft.told };
  if (to.length > 0) enqueue(step, event, to, how);
  if (how !== 'undelivered') noteRequired(step, topic);
  order(step, { type: 'event-publish', event, to, how });
  return event;
}

function enqueue(step: LoopStep, event: RalphEvent, to: readonly string[], how: DeliveryKind): void {
  const cause = toCause(step, how);
  const entries = to.map((hat) => (cause === null ? { hat, event } : { hat, event, cause }));
  change(step, { pending: [...step.state.pending, ...entries] });
}

/** In solo everything is the one agent's own business. */
function toCause(step: LoopStep, how: DeliveryKind): FallbackCause | null {
  if (step.topology.coordination === 'solo') return null;
  if (how === 'fallback') return 'empty-queue';
  return how === 'safety-net' ? 'untaken' : null;
}

function noteRequired(step: LoopStep, topic: string): void {
  const { requiredEvents } = step.topology.spec;
  if (!requiredEvents.includes(topic) || step.state.seenRequired.includes(topic)) return;
  change(step, { seenRequired: [...step.state.seenRequired, topic] });
}

/** Records a signal that was not accepted, under an id of its own. */
export function reject(step: LoopStep, hat: string, topic: string, why: RejectionCause, allowed: readonly string[]): void {
  const id = `e${count(step, 'event')}`;
  order(step, { type: 'event-reject', id, iteration: iterationOf(step), hat, topic, why, allowed });
}

/** Whether each turn of the hat is given one event, and several may run at the same time. */
export function hasTurnEach({ topology }: LoopStep, hat: string): boolean {
  return topology.hatById.get(hat)?.parallel !== undefined;
}

/** What a turn that takes up another one has of it: its place among those of its hat. */
export function toTurnPlace({ place }: { readonly place?: number | undefined }): Pick<PlannedTurn, 'place'> {
  return place === undefined ? {} : { place };
}

/** The limits of whoever wears the hat. */
export function wearerOf(step: LoopStep, hat: string): Pick<HatSpec, 'timeoutMs' | 'idleTimeoutMs' | 'backends'> {
  const known = step.topology.hatById.get(hat);
  if (known?.panel === undefined) return known ?? step.topology.spec.ralph;
  // They are those of its agents: none stands in for another.
  return { ...known, backends: known.backends.slice(0, 1) };
}

export function isForHat({ to }: Tell, hat: string): boolean {
  return to === null || to === hat;
}

export function queueTell(step: LoopStep, { id, text, to, sender }: Tell, hat: string): void {
  const draft = { topic: TOPIC_GUIDANCE, payload: text, source: EXTERNAL, sender, told: id };
  addEvent(step, to === null ? draft : { ...draft, target: to }, [hat], 'target');
}

/** How many commands are remembered: a person does not send more between two looks. */
const MAX_HEARD = 500;

/** False for a command that was heard before. */
export function hearCommandOnce(step: LoopStep, id: string): boolean {
  const { heardIds } = step.state;
  if (heardIds.includes(id)) return false;
  change(step, { heardIds: [...heardIds, id].slice(-MAX_HEARD) });
  return true;
}
