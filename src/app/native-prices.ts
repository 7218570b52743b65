import type { ModelPrice } from '../config/index.ts';
import type { Usage } from '../core/index.ts';
import { toPrice } from './prices.ts';

/** The day on which the built-in prices were looked up. */
const AS_OF = '2025-11-01';

/**
 * List prices of models that the native agent may be given, US dollars for a million tokens; a price under `prices` comes first. They hold for exactly these
 * models: a newer one with a longer name may cost something else.
 */
const LIST_PRICES: Readonly<Record<string, ModelPrice>> = {
  'claude-opus-4-1': { inputUsd: 15, outputUsd: 75, cacheReadUsd: 1.5, cacheWriteUsd: 18.75, asOf: AS_OF },
  'claude-sonnet-4-5': { inputUsd: 3, outputUsd: 15, cacheReadUsd: 0.3, cacheWriteUsd: 3.75, asOf: AS_OF },
  'claude-haiku-4-5': { inputUsd: 1, outputUsd: 5, cacheReadUsd: 0.1, cacheWriteUsd: 1.25, asOf: AS_OF },
  'gpt-5': { inputUsd: 1.25, outputUsd: 10, cacheReadUsd: 0.125, asOf: AS_OF },
  'gpt-5-mini': { inputUsd: 0.25, outputUsd: 2, cacheReadUsd: 0.025, asOf: AS_OF },
  'gpt-5-nano': { inputUsd: 0.05, outputUsd: 0.4, cacheReadUsd: 0.005, asOf: AS_OF },
  'gpt-4.1': { inputUsd: 2, outputUsd: 8, cacheReadUsd: 0.5, asOf: AS_OF },
  'gpt-4.1-mini': { inputUsd: 0.4, outputUsd: 1.6, cacheReadUsd: 0.1, asOf: AS_OF },
};

/** The cost of a usage: by the user's table, else by the built-in one; `null` where neither knows the model. */
export function toNativePrice(prices: Readonly<Record<string, ModelPrice>>, model: string | null, usage: Usage): number | null {
  const own = toPrice(prices, model, usage);
  if (own !== null || model === null) return own;
  const name = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  const known = Object.hasOwn(LIST_PRICES, name) ? LIST_PRICES[name] : undefined;
  return known === undefined ? null : toPrice({ [name]: known }, name, usage);
}
