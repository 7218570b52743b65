import type { LoopDetection } from '../../core/run/run-spec.ts';
import type { Footprint } from '../../core/run/state.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { dispatch } from './dispatch.ts';
import { change, endRun, type Step, setTimer } from './step.ts';

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
  if (state.timers.some((timer) => timer.purpose !== 'runtime')) return;
  if (coolDown(step)) return;
  dispatch(step);
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
  if (state.gateRefusals >= maxConsecutiveFailures) {
    return end(step, 'gate_refused', `completion was claimed ${state.gateRefusals} times in a row and refused by a gate each time`);
  }
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
