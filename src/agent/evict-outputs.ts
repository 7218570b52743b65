import type { ModelMessage, ToolAnswer } from '../ports/index.ts';
import { withoutFile } from './fold-transcript.ts';
import type { TurnParts, TurnState } from './turn-parts.ts';

/** Outputs shorter than this stay: a pointer would not be much shorter. */
const SMALLEST_CHARACTERS = 2000;
const SHOWN_CHARACTERS = 400;
const MOVED = '[moved out of the conversation';

/** The outputs that can go: long ones and files, older than the last `keptMessages` messages with results. */
function planEviction(messages: readonly ModelMessage[], keptMessages: number): readonly ToolAnswer[] {
  const withResults = messages.filter((message) => message.role === 'tool');
  const old = withResults.slice(0, Math.max(0, withResults.length - keptMessages));
  return old.flatMap(({ results }) => results.filter(isLarge));
}

function isLarge({ text, file }: ToolAnswer): boolean {
  return file !== undefined || (text.length >= SMALLEST_CHARACTERS && !text.includes(MOVED));
}

/** Moves outputs into files and leaves their beginning and the way to them. What cannot be kept stays. Returns how many went. */
export async function evictOutputs(parts: TurnParts, state: TurnState, keptMessages: number): Promise<number> {
  const planned = planEviction(state.messages, keptMessages);
  const moved = new Map<ToolAnswer, string>();
  for (const answer of planned) {
    if (answer.file !== undefined) {
      moved.set(answer, `${answer.text}\n${MOVED}; read_file shows it again]`);
      continue;
    }
    const path = await parts.tools.keep(answer.name, answer.text);
    if (path === null) continue;
    const text = `${answer.text.slice(0, SHOWN_CHARACTERS)}\n${MOVED}: ${answer.text.length} characters, whole in ${path}; read_file shows it]`;
    moved.set(answer, text);
  }
  replaceOutputs(parts, state, moved);
  return moved.size;
}

/**
 * Takes the files out of the newest results, where the provider has refused a request with them: one that it cannot read would be refused for ever.
 * False where there are none.
 */
export function dropRefusedFiles(parts: TurnParts, state: TurnState, why: string): boolean {
  const last = state.messages.findLast((message) => message.role === 'tool')?.results ?? [];
  const refused = last.filter(({ file }) => file !== undefined);
  const text = `It could not be shown: the provider refused it (${why.slice(0, SHOWN_CHARACTERS)}). Go on without, or have it converted by a program.`;
  replaceOutputs(parts, state, new Map(refused.map((answer) => [answer, text])));
  return refused.length > 0;
}

/** @param texts what stands in the place of these results */
function replaceOutputs(parts: TurnParts, state: TurnState, texts: ReadonlyMap<ToolAnswer, string>): void {
  if (texts.size === 0) return;
  state.messages = state.messages.map((message, index) => {
    if (message.role !== 'tool' || !message.results.some((result) => texts.has(result))) return message;
    return { role: 'tool', results: message.results.map((result, place) => replace(parts, result, texts.get(result), [index, place])) };
  });
  state.contextTokens = null;
}

function replace(parts: TurnParts, result: ToolAnswer, text: string | undefined, [message, place]: readonly [number, number]): ToolAnswer {
  if (text === undefined) return result;
  parts.transcript.append({ type: 'evicted', message, result: place, text });
  return withoutFile(result, text);
}
