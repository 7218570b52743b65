import { isJsonObject, type Json } from '../values/json.ts';

/** What an agent's turn consumed. Unknown figures are `null`, never 0. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly costUsd: number | null;
}

export const UNKNOWN_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  costUsd: null,
};

/** Adds two usages; a figure that only one knows is taken from that one. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: addKnown(left.inputTokens, right.inputTokens),
    outputTokens: addKnown(left.outputTokens, right.outputTokens),
    cacheReadTokens: addKnown(left.cacheReadTokens, right.cacheReadTokens),
    cacheWriteTokens: addKnown(left.cacheWriteTokens, right.cacheWriteTokens),
    costUsd: addKnown(left.costUsd, right.costUsd),
  };
}

function addKnown(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : left + right;
}

/** Reads a usage that somebody else tells; `null` for what is none. */
export function parseUsage(value: Json | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(UNKNOWN_USAGE) as readonly (keyof Usage)[];
  const isFigure = (figure: Json | undefined): boolean => figure === null || (typeof figure === 'number' && figure >= 0);
  if (!keys.every((key) => isFigure(value[key]))) return null;
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as unknown as Usage;
}
