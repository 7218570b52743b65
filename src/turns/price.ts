import type { ModelPrice } from '../config/settings.ts';
import { findListPrice } from '../core/backends/list-prices.ts';
import type { Usage } from '../core/backends/usage.ts';
import { readOwn } from '../core/values/json.ts';

const MILLION = 1_000_000;

/** The price of a model: by its whole name, else by the longest name in the table with which it begins (`claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`). */
export function findPrice(prices: Readonly<Record<string, ModelPrice>>, model: string): ModelPrice | undefined {
  const name = Object.keys(prices)
    .filter((key) => model.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : readOwn(prices, name);
}

/** The cost of a usage by the user's price table; `null` where the model or its tokens are not known. */
export function toPrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  if (model === null || (usage.inputTokens === null && usage.outputTokens === null)) return null;
  const price = findPrice(prices, model);
  if (price === undefined) return null;
  const read = (usage.cacheReadTokens ?? 0) * (price.cacheReadUsd ?? price.inputUsd);
  const write = (usage.cacheWriteTokens ?? 0) * (price.cacheWriteUsd ?? price.inputUsd);
  return ((usage.inputTokens ?? 0) * price.inputUsd + (usage.outputTokens ?? 0) * price.outputUsd + read + write) / MILLION;
}

/** The cost of a usage of the native agent: by the user's table, else by the list price of the model; `null` where neither knows it. */
export function toNativePrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  const own = toPrice(prices, model, usage);
  if (own !== null || model === null) return own;
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const known = findListPrice(model, (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0));
  return known === undefined ? null : toPrice({ [model]: known }, model, usage);
}
