import type { ModelPrice } from '../config/index.ts';
import type { Usage } from '../core/index.ts';

const MILLION = 1_000_000;

/**
 * The cost of a usage by the user's price table; `null` where the model or its tokens are not known. A model is found by its whole name, else by the longest
 * name in the table with which it begins (`claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`).
 */
export function toPrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  if (model === null || (usage.inputTokens === null && usage.outputTokens === null)) return null;
  const name = Object.keys(prices)
    .filter((key) => model === key || model.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  const price = name === undefined || !Object.hasOwn(prices, name) ? undefined : prices[name];
  if (price === undefined) return null;
  const read = (usage.cacheReadTokens ?? 0) * (price.cacheReadUsd ?? price.inputUsd);
  const write = (usage.cacheWriteTokens ?? 0) * (price.cacheWriteUsd ?? price.inputUsd);
  return ((usage.inputTokens ?? 0) * price.inputUsd + (usage.outputTokens ?? 0) * price.outputUsd + read + write) / MILLION;
}
