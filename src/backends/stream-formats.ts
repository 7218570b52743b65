import type { JsonObject } from '../core/index.ts';
import { createAuggieTranslator } from './auggie/translate.ts';
import { createClaudeTranslator } from './claude/translate.ts';
import { createClineTranslator } from './cline/translate.ts';
import { createCodexTranslator } from './codex/translate.ts';
import { createCopilotTranslator } from './copilot/translate.ts';
import { createGeminiTranslator } from './gemini/translate.ts';
import { textAt } from './json-fields.ts';
import { createOpencodeTranslator } from './opencode/translate.ts';
import { createPiTranslator } from './pi/translate.ts';
import { createQwenTranslator } from './qwen/translate.ts';
import { createStreamOrText } from './stream-or-text.ts';
import { createTextTranslator } from './text-translator.ts';
import type { Translator } from './translator.ts';

/** The streams that are understood, by the CLI that speaks them. */
const STREAMS: Readonly<Record<string, () => Translator>> = {
  claude: createClaudeTranslator,
  codex: createCodexTranslator,
  gemini: createGeminiTranslator,
  opencode: createOpencodeTranslator,
  pi: createPiTranslator,
  copilot: createCopilotTranslator,
  qwen: createQwenTranslator,
  cline: createClineTranslator,
  auggie: createAuggieTranslator,
};

/** What a custom agent's output can be: plain text, some stream (it is found out which), or the stream of a named CLI. */
export const OUTPUT_FORMATS: readonly string[] = ['text', 'stream', ...Object.keys(STREAMS)];

/** The translator for an output format. A name that is not in {@link OUTPUT_FORMATS} is taken as `text`. */
export function createTranslator(format: string, prompt: string): Translator {
  const text = createTextTranslator(prompt);
  if (format === 'stream') return createStreamOrText((first) => STREAMS[recognise(first)]?.() ?? null, text, text);
  const create = Object.hasOwn(STREAMS, format) ? STREAMS[format] : undefined;
  if (create === undefined) return text;
  const stream = create();
  return createStreamOrText(() => stream, stream, text);
}

/** Whose stream begins like this; empty where nobody's is known to. */
function recognise(first: JsonObject): string {
  const type = textAt(first, 'type');
  if (type === 'system') return 'permission_mode' in first ? 'qwen' : 'claude';
  if (type.startsWith('thread.') || type.startsWith('item.') || type === 'turn.started') return 'codex';
  if (type === 'init') return 'gemini';
  if ('sessionID' in first) return 'opencode';
  if (type === 'session' || type === 'agent_start') return 'pi';
  if (type.startsWith('session.') || ('data' in first && 'parentId' in first)) return 'copilot';
  if (type === 'hook_event' || type === 'agent_event' || type === 'run_result') return 'cline';
  if (type === 'result' && 'request_id' in first) return 'auggie';
  return ['assistant', 'user', 'result', 'stream_event'].includes(type) ? 'claude' : '';
}
