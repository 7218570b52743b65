import type { ModelFile, ModelMessage, ModelTool } from '../ports/index.ts';
import type { TurnState } from './turn-parts.ts';

const CHARACTERS_PER_TOKEN = 4;

/** What providers count for a picture of usual size. */
const IMAGE_TOKENS = 1600;
/** Of a document: some 50 KB a page, and 2,500 tokens, since it is read as text and as a picture. */
const DOCUMENT_BYTES_PER_TOKEN = 20;

/** Roughly how many tokens these messages are. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  let characters = 0;
  let tokens = 0;
  for (const message of messages) {
    if (message.role !== 'tool') {
      characters += JSON.stringify(message).length;
      continue;
    }
    for (const { file, ...result } of message.results) {
      characters += JSON.stringify(result).length;
      tokens += file === undefined ? 0 : estimateFile(file);
    }
  }
  return tokens + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function estimateFile({ mediaType, data }: ModelFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : Math.ceil((data.length * 0.75) / DOCUMENT_BYTES_PER_TOKEN);
}

/** Roughly how many tokens the next request is: as the provider counted the last one, and what has come since. */
export function estimateRequest(state: TurnState, system: string, tools: readonly ModelTool[]): number {
  if (state.contextTokens !== null) return state.contextTokens + estimateTokens(state.messages.slice(state.countedMessages));
  const fixed = Math.ceil((system.length + JSON.stringify(tools).length) / CHARACTERS_PER_TOKEN);
  return fixed + estimateTokens(state.messages);
}
