import type { RalphError } from '../core/index.ts';
import type { RunRequest } from './plan-run.ts';
import type { NightRecord, QueuedTask } from './queue-file.ts';
import type { NightReason } from './queue-plan.ts';
import type { RunEnd, RunHandle, RunWatch } from './run-api.ts';

/** How a queue is to be run. */
export interface NightOrder {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** So many tasks at once. */
  readonly parallel: number;
  /** All in the folder itself, one after another, instead of each in a worktree. */
  readonly inPlace: boolean;
  /** Begin nothing more once a task has ended without being completed. */
  readonly stopOnFailure: boolean;
  readonly maxCostUsd: number | null;
  readonly maxRuntimeMs: number | null;
  /** What the run of a task is planned from, its options being read now. */
  readonly toRequest: (task: QueuedTask, root: string) => RunRequest;
  /** Shows a run that `begin` starts, and passes signals on to it; resolves when it has ended. `null`: there was nothing to be watched. */
  readonly watch: (task: QueuedTask, begin: (watch: RunWatch) => Promise<RunHandle | null>) => Promise<RunEnd | null>;
  readonly tell: (news: NightNews) => void;
  /** Once it is aborted nothing more is begun; who aborts stops what is under way. */
  readonly abort: AbortSignal;
}

/** What happens to a task. */
export type NightNews =
  | {
      readonly kind: 'begun';
      readonly task: QueuedTask;
      readonly runId: string;
      readonly isResumed: boolean;
      readonly workspace: string;
      readonly reach: string;
    }
  | {
      readonly kind: 'ended';
      readonly task: QueuedTask;
      readonly runId: string;
      readonly end: Pick<RunEnd, 'reason' | 'detail' | 'exitCode'>;
    }
  /** What a person should know of its configuration, or of what came up while it was started. */
  | { readonly kind: 'warned'; readonly task: QueuedTask; readonly warnings: readonly string[] }
  /** It could not begin or go on; it stays in the queue. */
  | { readonly kind: 'refused'; readonly task: QueuedTask; readonly error: RalphError }
  /** A limit of the night is reached. */
  | { readonly kind: 'limit'; readonly text: string };

/** How a night ended. */
export interface NightEnd {
  readonly night: NightRecord;
  readonly reason: NightReason;
  readonly exitCode: number;
  /** The tasks that it worked on. */
  readonly tasks: readonly number[];
}
