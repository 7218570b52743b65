import { createHookTally, joinHookRecords, toToldHook } from '../../core/hooks/hook-record.ts';
import type { HooksAsk } from '../../core/run/effects.ts';
import type { HooksAnswered } from '../../core/run/inputs.ts';
import { findTurnDraft, type RunDraft } from './run-draft.ts';

/** Hooks are asked about events of a turn, or about a completion. */
export function takeHooksAsked(draft: RunDraft, ask: HooksAsk): void {
  draft.hookRequests.set(ask.request, ask);
}

/** What they did joins what hooks of tools did in the turn; it may have ended before. */
export function takeHooksAnswered(draft: RunDraft, { request, answers }: HooksAnswered): void {
  const ask = draft.hookRequests.get(request);
  const turn = ask === undefined ? undefined : findTurnDraft(draft, ask.iteration);
  draft.hookRequests.delete(request);
  if (ask === undefined || turn === undefined) return;
  const tally = createHookTally();
  for (const [index, answer] of answers.entries())
    for (const run of answer.runs) tally.take(toToldHook({ preview: '', ...run, event: ask.event }, ask.drafts[index]?.topic ?? ''));
  turn.hooks = joinHookRecords(turn.hooks, tally.finish());
}
