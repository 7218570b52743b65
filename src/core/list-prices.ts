/** US dollars for a million tokens. */
export interface ListPrice {
  readonly inputUsd: number;
  readonly outputUsd: number;
  readonly cacheReadUsd: number;
  readonly cacheWriteUsd: number;
  /** The day on which it was true. */
  readonly asOf: string;
}

const AS_OF = '2025-11-01';

/**
 * List prices of some models that the native agent may be given, for whom a configuration says nothing. They hold for exactly these models: a newer
 * one with a longer name may cost something else.
 */
const LIST_PRICES: Readonly<Record<string, ListPrice>> = {
  'claude-opus-4-1': price(15, 75, 1.5, 18.75),
  'claude-sonnet-4-5': price(3, 15, 0.3, 3.75),
  'claude-haiku-4-5': price(1, 5, 0.1, 1.25),
  'gpt-5': price(1.25, 10, 0.125),
  'gpt-5-mini': price(0.25, 2, 0.025),
  'gpt-5-nano': price(0.05, 0.4, 0.005),
  'gpt-4.1': price(2, 8, 0.5),
  'gpt-4.1-mini': price(0.4, 1.6, 0.1),
};

function price(inputUsd: number, outputUsd: number, cacheReadUsd: number, cacheWriteUsd = inputUsd): ListPrice {
  return { inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd, asOf: AS_OF };
}

/** The list price of a model, also of a dated snapshot of it (`claude-haiku-4-5-20251001`); `undefined` where it is not known. */
export function findListPrice(model: string): ListPrice | undefined {
  const name = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return Object.hasOwn(LIST_PRICES, name) ? LIST_PRICES[name] : undefined;
}
