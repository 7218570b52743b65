import type { ModelMessage, ModelTool } from '../ports/index.ts';
import type { TurnState } from './turn-parts.ts';

const CHARACTERS_PER_TOKEN = 4;

/** Roughly how many tokens these messages are. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  let characters = 0;
  for (const message of messages) characters += JSON.stringify(message).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Roughly how many tokens the next request is: as the provider counted the last one, and what has come since. */
export function estimateRequest(state: TurnState, system: string, tools: readonly ModelTool[]): number {
  if (state.contextTokens !== null) return state.contextTokens + estimateTokens(state.messages.slice(state.countedMessages));
  const fixed = Math.ceil((system.length + JSON.stringify(tools).length) / CHARACTERS_PER_TOKEN);
  return fixed + estimateTokens(state.messages);
}
