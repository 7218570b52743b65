import type { EndReason } from '../core/run/end-reasons.ts';
import type { Environment } from '../core/values/environment.ts';
import type { RalphError } from '../core/values/errors.ts';
import type { FinishedRun, Resumed, ResumeOptions, RunHandle, RunRequest, RunWatch, StartOptions } from '../runs/run-api.ts';
import type { NightRecord, Queue, QueuedTask, TaskDraft } from './queue-file.ts';

export interface NightOrder {
  readonly cwd: string;
  readonly env: Environment;
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
  readonly watch: (task: QueuedTask, begin: (watch: RunWatch) => Promise<RunHandle | null>) => Promise<FinishedRun | null>;
  readonly tell: (news: NightNews) => void;
  /** Once it is aborted nothing more is begun; who aborts stops what is under way. */
  readonly abort: AbortSignal;
}

export interface PlannedTask {
  readonly stateDir: string;
  /** What a person should know before it starts. */
  readonly warnings: readonly string[];
  readonly start: (options: StartOptions, watch: RunWatch) => Promise<RunHandle>;
}

/** By what the runs of a night are planned and started: only who assembles runs knows how. */
export interface RunStarters {
  readonly plan: (request: RunRequest) => Promise<PlannedTask>;
  readonly resume: (options: ResumeOptions, watch: RunWatch) => Promise<Resumed>;
}

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
      readonly end: Pick<FinishedRun, 'reason' | 'detail' | 'exitCode'>;
    }
  /** What a person should know of its configuration, or of what came up while it was started. */
  | { readonly kind: 'warned'; readonly task: QueuedTask; readonly warnings: readonly string[] }
  /** It could not begin or go on; it stays in the queue. */
  | { readonly kind: 'refused'; readonly task: QueuedTask; readonly error: RalphError }
  /** A limit of the night is reached. */
  | { readonly kind: 'limit'; readonly text: string };

export interface NightEnd {
  readonly night: NightRecord;
  readonly reason: NightReason;
  readonly exitCode: number;
  readonly tasks: readonly number[];
}

export function withTasks(
  queue: Queue,
  drafts: readonly TaskDraft[],
  { at, folder }: { readonly at: number; readonly folder: string },
): { readonly queue: Queue; readonly made: readonly QueuedTask[] } {
  const made = drafts.map(
    ({ text, file, options }, index): QueuedTask => ({
      id: queue.nextId + index,
      addedAt: at,
      text,
      file,
      folder,
      options,
      stage: 'waiting',
      runId: null,
      night: 0,
      costBeforeUsd: 0,
      problem: null,
    }),
  );
  return { queue: { ...queue, nextId: queue.nextId + made.length, tasks: [...queue.tasks, ...made] }, made };
}

export function withoutTasks(queue: Queue, ids: readonly number[]): Queue {
  return { ...queue, tasks: queue.tasks.filter(({ id }) => !ids.includes(id)) };
}

/** The queue in which that task is another one; as it was where the task is gone. */
export function withTask(queue: Queue, id: number, change: Partial<QueuedTask>): Queue {
  if (!queue.tasks.some((task) => task.id === id)) return queue;
  return { ...queue, tasks: queue.tasks.map((task) => (task.id === id ? { ...task, ...change } : task)) };
}

/** The task that is next: one that was under way before those that wait, in the order of the queue. `null`: there is none. */
export function chooseTask({ tasks }: Queue, tried: ReadonlySet<number>): QueuedTask | null {
  const open = tasks.filter(({ id, stage }) => stage !== 'over' && !tried.has(id));
  return open.find(({ stage }) => stage !== 'waiting') ?? open[0] ?? null;
}

/** The night that begins now: the last one goes on where it was killed. */
export function toNight({ night }: Queue, now: number): NightRecord {
  if (night.number > 0 && night.endedAt === null) return night;
  return { number: night.number + 1, startedAt: now, endedAt: null, ranMs: 0 };
}

const CUT_OFF: Readonly<Record<EndReason, boolean>> = {
  completed: false,
  stalled: false,
  loop_detected: false,
  consecutive_failures: false,
  gate_refused: false,
  config_invalid: false,
  workspace_gone: false,
  storage_failed: false,
  max_iterations: false,
  max_runtime: false,
  max_cost: false,
  parked: false,
  interrupted: true,
  terminated: true,
  hangup: true,
};

/** Ends after which the queue itself goes on with the run: somebody or something cut it off. */
export function isCutOff(reason: EndReason): boolean {
  return CUT_OFF[reason];
}

export type NightReason = 'done' | 'stopped' | 'limit' | 'failure';

/** The exit code of a night: that of a signal, else that of its worst task; a limit of the night is one as that of a run. */
export function toNightExitCode(reason: NightReason, codes: readonly number[]): number {
  const signal = codes.find((code) => code > 2);
  if (reason === 'stopped') return signal ?? 130;
  if (codes.includes(1)) return 1;
  if (reason === 'limit' || codes.includes(2)) return 2;
  return signal ?? 0;
}
