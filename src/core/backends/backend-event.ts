import type { ToldHook } from '../hooks/hook-moments.ts';
import type { ToolDenial } from '../tools/scope-violations.ts';
import type { Usage } from './usage.ts';

/**
 * What an agent does while it works, in one language for all of them. A subscriber can only watch.
 * `text` is assistant text: every character once and in order; `message-end` closes an assistant message.
 */
export type BackendEvent =
  | {
      readonly type: 'started';
      readonly pid: number | null;
      readonly processStart: string | null;
      readonly argv: readonly string[];
      readonly tools?: number;
      /** The worker of a fleet that has it; absent: it is on this machine. */
      readonly worker?: string;
    }
  | { readonly type: 'session'; readonly sessionId: string; readonly model: string | null }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'message-end' }
  | { readonly type: 'thinking'; readonly text: string }
  /** Something came that says nothing yet: arguments of a tool call, a keep-alive; not more often than once a second. */
  | { readonly type: 'alive' }
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string; readonly summary: string }
  /** `ok`: `null` where the agent does not say whether it went well. */
  | { readonly type: 'tool-end'; readonly id: string; readonly name: string; readonly ok: boolean | null; readonly summary: string }
  | { readonly type: 'tool-denied'; readonly denial: ToolDenial }
  /** A hook was asked, by the native agent. */
  | { readonly type: 'hook-ran'; readonly hook: ToldHook }
  /**
   * The agent was given texts from outside of its turn, after so many calls of tools; `isKept`: its conversation outlives a crash, and a turn that takes it up has them.
   */
  | { readonly type: 'injected'; readonly ids: readonly string[]; readonly call: number; readonly isKept?: boolean }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'retry'; readonly message: string; readonly delayMs: number | null }
  | { readonly type: 'warning'; readonly message: string };
