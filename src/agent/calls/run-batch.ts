import { toToldHook } from '../../core/hooks/hook-record.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { isJsonObject } from '../../core/values/json.ts';
import type { ToolHooks } from '../../hooks/tool-hooks.ts';
import type { ToolAnswer, ToolCallPart } from '../../ports/model.ts';
import type { AgentTurn, BatchOutcome, LoopEnd, TurnState } from '../session/agent-turn.ts';
import { appendNotes } from '../session/transcript.ts';
import { gatherHooks, type OutputRules } from './call-tool.ts';
import { runToolCalls } from './run-tool-calls.ts';

/** The results of all calls of one answer, and how the turn ends where hooks end it. */
export interface RanBatch {
  readonly results: readonly ToolAnswer[];
  /** `null`: it goes on. */
  readonly end: LoopEnd | null;
}

/** Runs the calls of one answer as {@link runToolCalls} does, and asks the hooks about all of them. */
export async function runBatch(
  parts: AgentTurn,
  state: TurnState,
  calls: readonly ToolCallPart[],
  cutAt?: number | null,
): Promise<RanBatch> {
  return endBatch(parts, state, calls, await runToolCalls(parts, state, calls, cutAt));
}

/** Asks the hooks about all calls of one answer, once; nothing is asked of a turn that is being stopped. Results are those of the calls, in their order. */
export async function endBatch(
  parts: AgentTurn,
  state: TurnState,
  calls: readonly ToolCallPart[],
  results: readonly ToolAnswer[],
): Promise<RanBatch> {
  if (parts.signal.aborted) return { results, end: null };
  const outcome = await parts.tools.afterAll(calls, results);
  if (outcome === null) return { results, end: null };
  const { notes, messages, hooks, denied } = outcome;
  parts.transcript.append({
    type: 'tool-batch',
    hooks,
    ...(notes.length === 0 ? {} : { notes }),
    ...(messages.length === 0 ? {} : { messages }),
  });
  for (const run of hooks) parts.tell({ type: 'hook-ran', hook: toToldHook(run, '') });
  for (const { name, error } of hooks)
    if (error !== null) parts.tell({ type: 'warning', message: maskControls(toOneLine(`the hook ${name} failed: ${error}`, 200)) });
  state.hookMessages.push(...messages);
  const end: LoopEnd | null = denied === null ? null : { status: 'failed', failure: { class: 'agent', message: denied }, isLimited: true };
  return { results: appendNotes(results, notes), end };
}

/** What the hooks of a hat say to all calls of one answer; `null` where none is asked. */
export async function askAfterAll(
  hooks: ToolHooks,
  calls: readonly ToolCallPart[],
  results: readonly ToolAnswer[],
  output: Pick<OutputRules, 'redact' | 'hookText'>,
): Promise<BatchOutcome | null> {
  const texts = new Map(results.map((result) => [result.id, result]));
  const merged = await hooks.afterAll(
    calls.map(({ id, name, args }) => ({
      tool_name: name,
      tool_use_id: id,
      tool_input: isJsonObject(args) ? args : {},
      tool_output: texts.get(id)?.text ?? '',
      tool_is_error: texts.get(id)?.isError ?? true,
    })),
  );
  if (merged.runs.length === 0) return null;
  const reason = output.redact(toOneLine(merged.reason, 1500));
  return {
    ...(await gatherHooks([merged], output)),
    denied: merged.decision === 'allow' ? null : `a hook ended the turn: ${maskControls(reason)}`,
  };
}
