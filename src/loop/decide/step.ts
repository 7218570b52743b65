import {
  type Counters,
  type Effect,
  type EndReason,
  EXTERNAL,
  type Feedback,
  type Notice,
  type RunState,
  type TimerPurpose,
} from '../../core/index.ts';
import type { Topology } from '../../topology/index.ts';

/**
 * One decision under way: the state so far and the effects so far. What the caller gave is never changed: the first `change` copies the
 * state, those after it go into the copy. What the parts of the state hold is replaced, never changed.
 */
export interface Step {
  readonly topology: Topology;
  /** The input's time. */
  readonly at: number;
  state: RunState;
  /** True once `state` is this decision's own copy. */
  isCopied: boolean;
  readonly effects: Effect[];
}

/** Replaces parts of the state. Whoever holds `step.state` sees it; whoever took a part out of it holds the old one. */
export function change(step: Step, patch: Partial<RunState>): void {
  if (step.isCopied) return void Object.assign(step.state, patch);
  step.state = { ...step.state, ...patch };
  step.isCopied = true;
}

/** The entry of a record by hat. A hat may be called `constructor`: what records inherit is no entry. */
export function readEntry<Value>(record: Readonly<Record<string, Value>>, hat: string): Value | undefined {
  return Object.hasOwn(record, hat) ? record[hat] : undefined;
}

/** Adds an effect. */
export function order(step: Step, effect: Effect): void {
  step.effects.push(effect);
}

/** The next number of a counter. */
export function count(step: Step, name: keyof Counters): number {
  const next = step.state.counters[name] + 1;
  change(step, { counters: { ...step.state.counters, [name]: next } });
  return next;
}

/** Tells people something. */
export function notify(step: Step, level: Notice['level'], code: string, text: string): void {
  order(step, { type: 'notice', level, code, text });
}

/** Keeps something to tell a hat at its next turn. People from outside have no turn. */
export function tell(step: Step, hat: string, feedback: Feedback): void {
  if (hat === EXTERNAL) return;
  const known = readEntry(step.state.feedback, hat) ?? [];
  change(step, { feedback: { ...step.state.feedback, [hat]: [...known, feedback].slice(-20) } });
}

/** Sets a timer and remembers it until it fires. */
export function setTimer(step: Step, dueAt: number, purpose: TimerPurpose): void {
  const timer = count(step, 'timer');
  change(step, { timers: [...step.state.timers, { timer, dueAt, purpose }] });
  order(step, { type: 'timer-set', timer, dueAt, purpose });
}

/** Ends the run: the clock stands, timers are forgotten, what is pending stays for a resume. */
export function endRun(step: Step, reason: EndReason, detail: string, attention?: string): void {
  stopClock(step);
  const end = { reason, detail, ...(attention === undefined ? {} : { attention }) };
  change(step, { status: 'ended', end, stopping: null, timers: step.state.timers.filter(isHolding) });
  order(step, { type: 'run-end', ...end });
}

function isHolding(timer: { readonly purpose: TimerPurpose }): boolean {
  return timer.purpose === 'limit' || timer.purpose === 'retry';
}

/** Starts the clock of `max_runtime_seconds`, with its timer. */
export function startClock(step: Step): void {
  if (step.state.runningSince !== null) return;
  change(step, { runningSince: step.at });
  setTimer(step, step.at + Math.max(0, step.state.limits.maxRuntimeMs - step.state.elapsedMs), 'runtime');
}

/** Stops it: time that the run spends parked or dead is not running time. */
export function stopClock(step: Step): void {
  const { runningSince, elapsedMs, timers } = step.state;
  if (runningSince === null) return;
  const until = step.at > runningSince ? step.at : runningSince;
  change(step, {
    runningSince: null,
    elapsedMs: elapsedMs + (until - runningSince),
    timers: timers.filter((timer) => timer.purpose !== 'runtime'),
  });
}
