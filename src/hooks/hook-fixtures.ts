import type { HookHandler, HookSpec } from '../core/hooks/hook-spec.ts';

/** A hook before every tool call that fails open. */
export const hook = (handler: HookHandler, changes: Partial<HookSpec> = {}): HookSpec => ({
  name: 'h',
  event: 'PreToolUse',
  matcher: '*',
  handler,
  timeoutMs: 20_000,
  isFailClosed: false,
  place: 'ralph.yml:1',
  ...changes,
});
