import type { ModelPrice } from '../config/index.ts';
import { findListPrice, type Usage } from '../core/index.ts';
import { toPrice } from './prices.ts';

/** The cost of a usage of the native agent: by the user's table, else by the list price of the model; `null` where neither knows it. */
export function toNativePrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  const own = toPrice(prices, model, usage);
  if (own !== null || model === null) return own;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const known = findListPrice(model, (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0));
  return known === undefined ? null : toPrice({ [model]: known }, model, usage);
}
