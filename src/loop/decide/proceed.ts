import { toDurationText, toUsdText } from '../../core/index.ts';
import { dispatch } from './dispatch.ts';
import { findLoop } from './find-loop.ts';
import { change, endRun, type Step, setTimer } from './step.ts';

/** Fallback turns without any result after which a run is stalled (decisions, section 1). */
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
