import { toUsdText, type Usage } from '../core/index.ts';
import type { RunTotals } from './run-view.ts';

/** `1 turn`, `3 turns`. */
export function toCount(count: number, noun: string): string {
  return `${toNumberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * `8 iterations (and 2 interrupted, which do not count)`: the turns of a run carry numbers up to the sum of the two.
 *
 * @param of what may be used of them; absent: not named
 */
export function toIterationsText({ iterations, interrupted }: Pick<RunTotals, 'iterations' | 'interrupted'>, of?: number): string {
  const count = of === undefined ? toCount(iterations, 'iteration') : `${iterations} of ${toCount(of, 'iteration')}`;
  return interrupted === 0 ? count : `${count} (and ${interrupted} interrupted, which ${interrupted === 1 ? 'does' : 'do'} not count)`;
}

/** `12,345`, the same on every machine. */
export function toNumberText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The first `limit` of a list, and how many more there are: `a, b and 3 more`. */
export function toList(items: readonly string[], limit: number): string {
  if (items.length <= limit) return items.join(', ');
  return `${items.slice(0, limit).join(', ')} and ${toNumberText(items.length - limit)} more`;
}

/** What was spent, and what of it nobody knows. */
export function toSpentText(usage: Usage, unknownTurns: number): string {
  const tokens = usage.inputTokens === null && usage.outputTokens === null ? '' : `, ${toTokensText(usage)}`;
  if (usage.costUsd === null)
    return `unknown${tokens === '' ? ': the agents report neither cost nor tokens' : `: the agents report no cost${tokens}`}`;
  const unknown = unknownTurns === 0 ? '' : `; the cost of ${toCount(unknownTurns, 'turn')} is unknown and not in it`;
  return `${toUsdText(usage.costUsd)}${tokens}${unknown}`;
}

function toTokensText(usage: Usage): string {
  const input = usage.inputTokens === null ? 'an unknown number of' : toNumberText(usage.inputTokens);
  const output = usage.outputTokens === null ? 'an unknown number' : toNumberText(usage.outputTokens);
  return `${input} tokens in, ${output} out`;
}
