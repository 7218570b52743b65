import type { Usage } from '../core/index.ts';

/** Figures as a CLI reports them; absent or `null` where it does not. */
export interface UsageFigures {
  /** Tokens sent that were not read from a cache. */
  readonly input?: number | null;
  readonly output?: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly costUsd?: number | null;
}

/**
 * A usage from reported figures. A cost of exactly 0 for tokens that were used means that the CLI knows no price: it becomes
 * unknown, so that a price table can still be applied.
 */
export function toUsage(figures: UsageFigures): Usage {
  const inputTokens = toCount(figures.input);
  const outputTokens = toCount(figures.output);
  const cacheReadTokens = toCount(figures.cacheRead);
  const cacheWriteTokens = toCount(figures.cacheWrite);
  const costUsd = figures.costUsd ?? null;
  const hasTokens = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].some((count) => (count ?? 0) > 0);
  const isKnownCost = costUsd !== null && costUsd >= 0 && !(costUsd === 0 && hasTokens);
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd: isKnownCost ? costUsd : null };
}

/** What is left of all input tokens without those that came from a cache, for CLIs that count them together. */
export function withoutCached(inputTokens: number | null, cachedTokens: number | null): number | null {
  return inputTokens === null ? null : Math.max(0, inputTokens - (cachedTokens ?? 0));
}

function toCount(value: number | null | undefined): number | null {
  return value === null || value === undefined || value < 0 ? null : Math.round(value);
}
