import type { JsonObject, Usage } from '../../core/index.ts';
import { ClaudeStream } from '../claude-stream.ts';
import { numberAt, objectAt } from '../json-fields.ts';
import { createJsonTranslator } from '../json-translator.ts';
import type { Translator } from '../translator.ts';
import { toUsage, withoutCached } from '../usage-figures.ts';

/** Translates `qwen -o stream-json`: Claude's stream without costs, whose input tokens include the cached ones. */
export function createQwenTranslator(): Translator {
  return createJsonTranslator(new ClaudeStream((result) => readUsage(objectAt(result, 'usage')), readUsage));
}

function readUsage(usage: JsonObject): Usage {
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  return toUsage({ input: withoutCached(numberAt(usage, 'input_tokens'), cacheRead), output: numberAt(usage, 'output_tokens'), cacheRead });
}
