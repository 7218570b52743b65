import type { HookEventName } from './hook-spec.ts';

/** One hook that was asked. */
export interface HookRun {
  readonly name: string;
  readonly event: HookEventName;
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly error: string | null;
  readonly ms: number;
  /** The beginning of what it injects; empty for nothing. */
  readonly preview: string;
  /** It changed the input or the output. */
  readonly hasChanged?: true;
  /** Its file was changed since the configuration was read, so it was not run. */
  readonly isFileChanged?: true;
  /** The worker that ran it; absent: it ran where it was asked. */
  readonly worker?: string;
}

/** A hook that was asked, and about what. */
export interface ToldHook extends HookRun {
  /** The tool, or the topic of an event; empty where it was about all calls of an answer. */
  readonly tool: string;
}

/** What hooks did in a turn. */
export interface HookRecord {
  /** How often each decided what, at most 200 of these, in the order in which they came first. */
  readonly counts: readonly { readonly name: string; readonly decision: HookRun['decision']; readonly count: number }[];
  /** The first 200 that denied, changed something, spoke to the model or failed. */
  readonly runs: readonly ToldHook[];
}
