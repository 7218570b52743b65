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
