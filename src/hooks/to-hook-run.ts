import type { HookSpec } from '../core/hooks/hook-spec.ts';
import type { HookInject, HookRun, HookVerdict, JudgedHook } from '../core/hooks/hook-verdict.ts';
import { startOf } from '../core/text/shorten.ts';

/** Of one text; the rest is cut. Source: the limit of Claude Code. */
export const MAX_INJECT = 10_000;
const MAX_REASON = 2000;
const MAX_PREVIEW = 200;

/** A hook that was asked, as it is told of; `ms` from the question to the answer. */
export function toHookRun({ name, event }: HookSpec, { verdict, error }: JudgedHook, ms: number): HookRun {
  return {
    name,
    event,
    decision: verdict.decision,
    reason: startOf(verdict.reason, MAX_REASON),
    error,
    ms,
    preview: startOf(verdict.injects[0]?.content ?? '', MAX_PREVIEW),
  };
}

/** The texts of a verdict for the model, each cut to what one may hold. */
export function toInjects({ injects }: HookVerdict): readonly HookInject[] {
  return injects.map(({ content, strategy }) => ({ content: startOf(content, MAX_INJECT), strategy }));
}
