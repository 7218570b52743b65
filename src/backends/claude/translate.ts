import type { Usage } from '../../core/backends/usage.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { ClaudeStream } from '../stream/claude-stream.ts';
import { createJsonTranslator } from '../stream/json-translator.ts';
import { numberAt, objectAt, toUsage, type UsageFigures } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** Translates `claude -p --output-format stream-json --verbose [--include-partial-messages]`. */
export function createClaudeTranslator(): Translator {
  return createJsonTranslator(new ClaudeStream(readUsage, (usage) => toUsage(readFigures(usage))));
}

/**
 * The totals of all models where the result has them (`modelUsage` also counts sub-agents and small helper models, and so does the
 * cost), else those of the main conversation.
 */
function readUsage(result: JsonObject): Usage {
  const costUsd = numberAt(result, 'total_cost_usd');
  const main = readFigures(objectAt(result, 'usage'));
  const models = Object.values(objectAt(result, 'modelUsage'));
  if (models.length === 0) return toUsage({ ...main, costUsd });
  const sum = (key: string): number => models.reduce<number>((total, model) => total + (numberAt(model, key) ?? 0), 0);
  return toUsage({
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
    costUsd,
  });
}

function readFigures(usage: JsonObject): UsageFigures {
  return {
    input: numberAt(usage, 'input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cacheRead: numberAt(usage, 'cache_read_input_tokens'),
    cacheWrite: numberAt(usage, 'cache_creation_input_tokens'),
  };
}
