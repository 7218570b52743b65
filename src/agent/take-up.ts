import type { Usage } from '../core/index.ts';
import type { AssistantMessage, ToolAnswer, ToolCallPart } from '../ports/index.ts';
import type { SessionStart } from './find-session.ts';
import { runToolCalls } from './run-tool-calls.ts';
import type { LoopEnd, TurnParts, TurnState } from './turn-parts.ts';

/**
 * Runs the calls that the interruption kept from being run, and those that it cut off and that may be made once more; their results take the place of the
 * ones that said so. What is left is told to the model.
 */
export async function runOpenCalls(parts: TurnParts, state: TurnState, { open }: SessionStart): Promise<void> {
  if (open === null) return;
  const wanted: ToolCallPart[] = [];
  for (const call of open.calls) {
    if (open.results.has(call.id)) continue;
    if (!open.started.has(call.id) || (await parts.tools.mayRepeat(call.name, call.args))) wanted.push(call);
  }
  const answers = new Map((await runToolCalls(parts, state, wanted)).map((answer) => [answer.id, answer]));
  const last = state.messages.at(-1);
  if (last?.role !== 'tool') return;
  const results = last.results.map((result): ToolAnswer => answers.get(result.id) ?? result);
  state.messages = [...state.messages.slice(0, -1), { role: 'tool', results }];
}

/**
 * Publishes again what the interrupted turn had published, by tools and by its words, and nobody got, where its continuation has come to its end without a
 * word on it. A continuation that publishes something else has thought again: its word stands.
 */
export async function publishAgain(parts: TurnParts, state: TurnState, { withdrawn, said, isDone }: SessionStart): Promise<void> {
  if (state.hasSignalled) return;
  if ([...state.published].some((published) => !withdrawn.some(({ topic }) => topic === published))) return;
  if (said.length > 0 && !isDone) repeat(parts, state, said);
  const missing = withdrawn.filter(({ topic }) => !state.published.has(topic));
  await runToolCalls(
    parts,
    state,
    missing.map(({ call }) => call),
  );
}

/** Ends a turn that was interrupted behind its last word: what its words publish counts now, and the model need not be asked. */
export function sayAgain(parts: TurnParts, state: TurnState, { said }: SessionStart): LoopEnd {
  repeat(parts, state, said);
  state.hasSpoken = true;
  state.usage = NOTHING_USED;
  return { status: 'succeeded', failure: null };
}

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };

/** Says old words, and behind them the last ones, which are the last again: they are handed on, and a promise counts only there. */
function repeat({ tell }: TurnParts, { messages }: TurnState, said: readonly AssistantMessage[]): void {
  const last = messages.at(-1);
  for (const message of [...said.filter((answer) => answer !== last), ...(last?.role === 'assistant' ? [last] : [])]) {
    for (const part of message.parts) if (part.type === 'text') tell({ type: 'text', text: part.text });
    tell({ type: 'message-end' });
  }
}
