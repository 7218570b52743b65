import type { ModelMessage, ToolAnswer } from '../ports/index.ts';
import type { TurnParts, TurnState } from './turn-parts.ts';

/** Outputs shorter than this stay: a pointer would not be much shorter. */
const SMALLEST_CHARACTERS = 2000;
const SHOWN_CHARACTERS = 400;
const MOVED = '[moved out of the conversation';

/** The outputs that can go: long ones, older than the last `keptMessages` messages with results. */
function planEviction(messages: readonly ModelMessage[], keptMessages: number): readonly ToolAnswer[] {
  const withResults = messages.filter((message) => message.role === 'tool');
  const old = withResults.slice(0, Math.max(0, withResults.length - keptMessages));
  return old.flatMap(({ results }) => results.filter(({ text }) => text.length >= SMALLEST_CHARACTERS && !text.includes(MOVED)));
}

/** Moves outputs into files and leaves their beginning and the way to them. What cannot be kept stays. Returns how many went. */
export async function evictOutputs(parts: TurnParts, state: TurnState, keptMessages: number): Promise<number> {
  const planned = planEviction(state.messages, keptMessages);
  const moved = new Map<ToolAnswer, string>();
  for (const answer of planned) {
    const path = await parts.tools.keep(answer.name, answer.text);
    if (path === null) continue;
    const text = `${answer.text.slice(0, SHOWN_CHARACTERS)}\n${MOVED}: ${answer.text.length} characters, whole in ${path}; read_file shows it]`;
    moved.set(answer, text);
  }
  if (moved.size === 0) return 0;
  state.messages = state.messages.map((message, index) => {
    if (message.role !== 'tool' || !message.results.some((result) => moved.has(result))) return message;
    return { role: 'tool', results: message.results.map((result, place) => replace(parts, result, moved.get(result), [index, place])) };
  });
  state.contextTokens = null;
  return moved.size;
}

function replace(parts: TurnParts, result: ToolAnswer, text: string | undefined, [message, place]: readonly [number, number]): ToolAnswer {
  if (text === undefined) return result;
  parts.transcript.append({ type: 'evicted', message, result: place, text });
  return { ...result, text };
}
