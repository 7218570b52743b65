import type { HookRun } from '../core/hooks/hook-run.ts';
import { HOOK_MOMENTS, type HookSpec } from '../core/hooks/hook-spec.ts';
import type { HookVerdict, JudgedHook } from '../core/hooks/hook-verdict.ts';
import { startOf } from '../core/text/shorten.ts';

const MAX_REASON = 2000;
const MAX_PREVIEW = 200;

/** A hook that was asked, as it is told of; `ms` from the question to the answer. */
export function toHookRun({ name, event }: HookSpec, { verdict, error, isFileChanged }: JudgedHook, ms: number): HookRun {
  return {
    name,
    event,
    decision: verdict.decision,
    reason: startOf(verdict.reason, MAX_REASON),
    error,
    ms,
    preview: startOf(verdict.injects[0]?.content ?? '', MAX_PREVIEW),
    ...(isChange(event, verdict) ? { hasChanged: true as const } : {}),
    ...(isFileChanged === true && { isFileChanged }),
  };
}

/** Whether it changes what it may change at that moment. */
function isChange(event: HookSpec['event'], { updatedInput, mergedInput, updatedOutput, updatedEvent }: HookVerdict): boolean {
  switch (HOOK_MOMENTS[event].mayChange) {
    case 'input':
      return updatedInput !== undefined || mergedInput !== undefined;
    case 'output':
      return updatedOutput !== undefined;
    case 'event':
      return updatedEvent !== undefined;
    case null:
      return false;
  }
}
