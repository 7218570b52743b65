import { createAuggieTranslator } from './auggie/translate.ts';
import { createClaudeTranslator } from './claude/translate.ts';
import { createClineTranslator } from './cline/translate.ts';
import { createCodexTranslator } from './codex/translate.ts';
import { createCopilotTranslator } from './copilot/translate.ts';
import { createGeminiTranslator } from './gemini/translate.ts';
import { createOpencodeTranslator } from './opencode/translate.ts';
import { createPiTranslator } from './pi/translate.ts';
import { createQwenTranslator } from './qwen/translate.ts';
import { createStreamOrText } from './stream-or-text.ts';
import { createTextTranslator } from './text-translator.ts';
import type { Translator } from './translator.ts';

/** The streams that are understood, by the CLI that speaks them. */
const STREAMS: ReadonlyMap<string, () => Translator> = new Map([
  ['claude', createClaudeTranslator],
  ['codex', createCodexTranslator],
  ['gemini', createGeminiTranslator],
  ['opencode', createOpencodeTranslator],
  ['pi', createPiTranslator],
  ['copilot', createCopilotTranslator],
  ['qwen', createQwenTranslator],
  ['cline', createClineTranslator],
  ['auggie', createAuggieTranslator],
]);

/** Values of `output_format`: `text` and every stream. */
export const OUTPUT_FORMATS: readonly string[] = ['text', ...STREAMS.keys()];

/** The translator for an output format. A name that is not in {@link OUTPUT_FORMATS} is taken as `text`. */
export function createTranslator(format: string, prompt: string): Translator {
  const create = STREAMS.get(format);
  const text = createTextTranslator(prompt);
  return create === undefined ? text : createStreamOrText(create(), text, format);
}
