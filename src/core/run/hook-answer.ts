import type { HookRun } from '../hooks/hook-moments.ts';
import type { Json } from '../values/json.ts';

/** What hooks said of one event, or of a completion. */
export interface HookAnswer {
  /** True: it is not routed, or the run does not end. */
  readonly isDropped: boolean;
  /** Why, with the names of the hooks; empty where nothing is dropped. */
  readonly reason: string;
  /** What takes the place of parts of it; absent: it stays as it is. */
  readonly changed?: { readonly topic?: string; readonly payload?: Json; readonly target?: string };
  /** What its author is told in its next turn. */
  readonly told: readonly string[];
  /** The hooks that were asked, in their order. */
  readonly runs: readonly HookExecution[];
}

export interface HookExecution extends Pick<HookRun, 'name' | 'decision' | 'reason' | 'error' | 'ms' | 'worker'> {
  /** The beginning of what its author is told by it; absent: nothing. */
  readonly preview?: string;
  /** It changed the event. */
  readonly hasChanged?: true;
}

/** A moment of the loop at which hooks may change what follows. */
export type LoopHookName = 'EventPublish' | 'CompletionRequested';
