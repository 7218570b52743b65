import { addUsage } from '../../core/backends/usage.ts';
import type { UsageReported } from '../../core/run/inputs.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { type LoopStep, stopTurns } from './step.ts';

/** `max_cost_usd` also interrupts a running turn: what it did stays, and the same hat goes on with the same events once the limit is raised. */
export function onUsageReported(step: LoopStep, input: UsageReported): void {
  const { activations, limits, usage } = step.state;
  const isRunning = activations.some(({ iteration, attempt }) => iteration === input.iteration && attempt === input.attempt);
  const spent = addUsage(usage, input.usage);
  const { costUsd } = input.others === undefined ? spent : addUsage(spent, input.others);
  if (!isRunning || limits.maxCostUsd === null || costUsd === null || costUsd < limits.maxCostUsd) return;
  const ended = activations.length === 1 ? 'the turn that ran was ended' : 'the turns that ran were ended';
  const detail = `${toUsdText(costUsd)} of ${toUsdText(limits.maxCostUsd)} are spent; ${ended}`;
  stopTurns(step, { reason: 'max_cost', detail }, false);
}
