import type { ModelMessage, ToolAnswer } from '../ports/index.ts';
import type { SessionStart } from './find-session.ts';
import { runToolCalls } from './run-tool-calls.ts';
import type { TurnParts, TurnState } from './turn-parts.ts';

/**
 * Runs the calls that the interruption kept from being run, and those that it cut off and that may be made once more; their results take the place of the
 * ones that said so. What is left is told to the model.
 */
export async function runOpenCalls(parts: TurnParts, state: TurnState, { open }: SessionStart): Promise<void> {
  if (open === null) return;
  const wanted = open.calls.filter(({ id, name }) => !open.results.has(id) && (!open.started.has(id) || parts.tools.isRepeatable(name)));
  const answers = new Map((await runToolCalls(parts, state, wanted)).map((answer) => [answer.id, answer]));
  const last = state.messages.at(-1);
  if (last?.role !== 'tool') return;
  const results = last.results.map((result): ToolAnswer => answers.get(result.id) ?? result);
  state.messages = [...state.messages.slice(0, -1), { role: 'tool', results }];
}

/**
 * Publishes again what the interrupted turn had published and the loop has withdrawn, where its continuation has come to its end without a word on it. A
 * continuation that publishes something else has thought again: its word stands.
 */
export async function publishAgain(parts: TurnParts, state: TurnState, { withdrawn, messages }: SessionStart): Promise<void> {
  if (withdrawn.length === 0 || state.messages.slice(messages.length).some(hasSignal)) return;
  if ([...state.published].some((published) => !withdrawn.some(({ topic }) => topic === published))) return;
  const missing = withdrawn.filter(({ topic }) => !state.published.has(topic));
  await runToolCalls(
    parts,
    state,
    missing.map(({ call }) => call),
  );
}

/** Whether a message publishes by its words. */
function hasSignal(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.parts.some((part) => part.type === 'text' && /^\W*EVENT:|<event\s/m.test(part.text));
}
