import { estimateTokens } from '../core/index.ts';
import type { ModelFile, ModelMessage, ModelTool } from '../ports/index.ts';
import type { TurnState } from './turn-parts.ts';

/** What providers count for a picture of usual size. */
const IMAGE_TOKENS = 1600;
/** Of a document: some 50 KB a page, and 2,500 tokens, since it is read as text and as a picture. */
const DOCUMENT_BYTES_PER_TOKEN = 20;

/** Roughly how many tokens these messages are. */
export function estimateMessages(messages: readonly ModelMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    if (message.role !== 'tool') {
      tokens += estimateTokens(JSON.stringify(message));
      continue;
    }
    for (const { file, ...result } of message.results) {
      tokens += estimateTokens(JSON.stringify(result)) + (file === undefined ? 0 : estimateFile(file));
    }
  }
  return tokens;
}

function estimateFile({ mediaType, data }: ModelFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : Math.ceil((data.length * 0.75) / DOCUMENT_BYTES_PER_TOKEN);
}

/** Roughly how many tokens the next request is: as the provider counted the last one, and what has come since. */
export function estimateRequest(state: TurnState, system: string, tools: readonly ModelTool[]): number {
  if (state.contextTokens !== null) return state.contextTokens + estimateMessages(state.messages.slice(state.countedMessages));
  return estimateTokens(system) + estimateTokens(JSON.stringify(tools)) + estimateMessages(state.messages);
}
