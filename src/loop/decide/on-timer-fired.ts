import type { TimerFired } from '../../core/run/inputs.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { expireQuestions } from './on-asked.ts';
import { change, endRun, goOn, type LoopStep, startClock, stopTurns } from './step.ts';

/** A time has come: the end of the running time, or of a wait. */
export function onTimerFired(step: LoopStep, input: TimerFired): void {
  const timer = step.state.timers.find((entry) => entry.timer === input.timer);
  if (timer === undefined) return;
  change(step, { timers: step.state.timers.filter((entry) => entry !== timer) });
  if (timer.purpose === 'runtime') return endRuntime(step);
  if (timer.purpose === 'question') return expireQuestions(step);
  if (timer.purpose === 'limit' && step.state.status === 'parked') {
    change(step, { status: 'running' });
    startClock(step);
  }
  goOn(step);
}

/** `max_runtime_seconds` also interrupts a running turn. */
function endRuntime(step: LoopStep): void {
  const detail = `${toDurationText(step.state.limits.maxRuntimeMs)} of running time are used`;
  if (!stopTurns(step, { reason: 'max_runtime', detail }, false)) endRun(step, 'max_runtime', detail);
}
