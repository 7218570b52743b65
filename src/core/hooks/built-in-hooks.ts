import type { HookEventName } from './hook-moments.ts';

/** A hook that Ralph itself asks for every hat of the native agent; none of them can be taken away. */
export interface BuiltInHook {
  readonly name: string;
  readonly event: HookEventName;
  readonly matcher: string;
  /** What it does, for people. */
  readonly does: string;
}

/** In the order in which they are asked, before the hooks of the hat where they deny, else behind them. */
export const BUILT_IN_HOOKS = {
  hardLimit: {
    name: 'ralph:hard-time-limit',
    event: 'PreToolUse',
    matcher: '*',
    does: 'from 95 % of the time of the turn on, once the agent was told of the end, denies every call that publishes nothing',
  },
  priority: {
    name: 'ralph:priority-reminder',
    event: 'PostToolUse',
    matcher: 'update_todos',
    does: 'reminds of looking at the result when a todo of high priority is done',
  },
  reminder: {
    name: 'ralph:reminder-extraction',
    event: 'PostToolUse',
    matcher: 'tools of plugins',
    does: 'says the text `reminder` of an output that is a JSON object as a message of the user',
  },
  softLimit: {
    name: 'ralph:soft-time-limit',
    event: 'PostToolBatch',
    matcher: '*',
    does: 'tells the agent once that 80 % of the time of the turn have passed; ends the turn after ten calls that were denied for the time',
  },
} as const satisfies Record<string, BuiltInHook>;
