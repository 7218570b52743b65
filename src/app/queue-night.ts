import { setTimeout as pause } from 'node:timers/promises';
import { isRalphError, RalphError, type RunRecord, toDurationText, toErrorCode, toUsdText } from '../core/index.ts';
import { createRunId, ensureStateFolders, type Lock, nodeFileSystem } from '../journal/index.ts';
import { captureBase } from '../workspace/index.ts';
import { release } from './drive-run.ts';
import { findLayout, type Layout, requireLayout, toLayout } from './layout.ts';
import { requireOutside } from './people.ts';
import { planRun, type RunRequest } from './plan-run.ts';
import { reapRun } from './processes.ts';
import { findRunOf, toQueueInProgress } from './queue-edit.ts';
import { changeQueue, type NightRecord, type Queue, type QueuedTask, toNightLock } from './queue-file.ts';
import { chooseTask, isCutOff, type NightReason, toNight, toNightExitCode, withTask } from './queue-plan.ts';
import { resumeRun } from './resume-run.ts';
import type { RunEnd, RunHandle, RunWatch } from './run-api.ts';
import { findHolder, tryLock } from './run-lock.ts';
import { refuseNested, startRun } from './start-run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How a queue is to be run. */
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
  readonly watch: (task: QueuedTask, begin: (watch: RunWatch) => Promise<RunHandle | null>) => Promise<RunEnd | null>;
  readonly tell: (news: NightNews) => void;
  /** Once it is aborted nothing more is begun; who aborts stops what is under way. */
  readonly abort: AbortSignal;
}

/** What happens to a task. */
export type NightNews =
  | { readonly kind: 'begun'; readonly task: QueuedTask; readonly runId: string; readonly isResumed: boolean; readonly workspace: string }
  | {
      readonly kind: 'ended';
      readonly task: QueuedTask;
      readonly runId: string;
      readonly end: Pick<RunEnd, 'reason' | 'detail' | 'exitCode'>;
    }
  /** What a person should know of its configuration. */
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

/**
 * Runs the tasks of a queue until none is left: those that a kill or a Ctrl+C cut off first, then those that wait, and those that are added meanwhile.
 *
 * @throws RalphError `person-refused`, `run-nested`, `queue-in-progress`, `queue-unreadable`, `queue-place`; the system error
 */
export async function runQueue(order: NightOrder): Promise<NightEnd> {
  refuseNested({ env: order.env, nested: false });
  const layout = requireLayout(findLayout(order.cwd));
  requireOutside(layout, order.env);
  const hasWorktrees = await findPlace(layout, order);
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const outcome = tryLock({ layout, runId: 'none', command: 'ralph queue run' }, toNightLock(layout));
  if ('heldBy' in outcome) throw toQueueInProgress(layout, outcome.heldBy);
  return runLocked({ order, layout, hasWorktrees }, outcome.lock);
}

interface Place {
  readonly order: NightOrder;
  readonly layout: Layout;
  readonly hasWorktrees: boolean;
}

/** Whether each task gets a worktree. Throws RalphError `queue-place`. */
async function findPlace(layout: Layout, { env, inPlace, parallel }: NightOrder): Promise<boolean> {
  const { commit, branch } = await captureBase({ cwd: layout.root, env, stateDirs: [] });
  if (!inPlace && commit !== null) return true;
  if (!inPlace && branch !== null)
    throw new RalphError({
      code: 'queue-place',
      what: 'This repository has no commit yet, so no task can have a worktree of its own.',
      why: 'A worktree begins at a commit.',
      fix: 'Make a first commit: git add . && git commit\nor work in this folder, one task after another: ralph queue run --in-place',
      exitCode: 2,
    });
  if (parallel === 1) return false;
  throw new RalphError({
    code: 'queue-place',
    what: `${parallel} tasks at once need a worktree each${inPlace ? '' : ', and this folder is in no git repository'}.`,
    why: 'Two runs in one folder would change the same files.',
    fix: inPlace ? 'Leave out --parallel or --in-place.' : 'Leave out --parallel, or make a repository and a first commit.',
    exitCode: 2,
  });
}

/** How often a night with room for another task looks for one. */
const LOOK_EVERY_MS = 1000;

/** A night under way. */
interface Night extends Place {
  /** Those that were begun or tried in this night. */
  readonly tried: Set<number>;
  readonly active: Map<number, RunHandle | null>;
  readonly codes: number[];
  /** Starts are one after another: each looks at what killed runs left. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly beganAt: number;
  record: NightRecord;
  spentUsd: number;
  /** The limit that was reached, in words. */
  limit: string | null;
  hasFailed: boolean;
  /** What keeps the queue from being written. */
  failure: unknown;
}

async function runLocked(place: Place, lock: Lock): Promise<NightEnd> {
  let night: Night | null = null;
  try {
    night = await beginNight(place);
    const timer = setRuntimeLimit(night);
    await workOff(night);
    clearTimeout(timer);
    if (night.failure !== null) throw night.failure;
    const reason = toReason(night);
    const { order, layout, tried, codes } = night;
    const endedAt = Date.now();
    const record = { ...night.record, endedAt, ranMs: toRanMs(night) };
    // A process that ends in order has no night that goes on.
    await changeQueue(layout, (queue) => ({ queue: { ...queue, night: record }, made: null }));
    return { night: record, reason, exitCode: toNightExitCode(order.abort.aborted ? 'stopped' : reason, codes), tasks: [...tried] };
  } finally {
    release(lock);
  }
}

function toReason({ order, limit, hasFailed }: Night): NightReason {
  if (order.abort.aborted) return 'stopped';
  if (limit !== null) return 'limit';
  return order.stopOnFailure && hasFailed ? 'failure' : 'done';
}

async function beginNight(place: Place): Promise<Night> {
  const { layout, order } = place;
  const { record, spentUsd, open } = await changeQueue(layout, (queue) => {
    const begun = toNight(queue, Date.now());
    const own = queue.tasks.filter((task) => task.night === begun.number);
    const spent = own.reduce((sum, task) => sum + toCostUsd(layout, task, order.env) - task.costBeforeUsd, 0);
    const cut = queue.tasks.filter(({ stage }) => stage === 'starting' || stage === 'running');
    return { queue: { ...queue, night: begun }, made: { record: begun, spentUsd: spent, open: cut } };
  });
  // What killed runs left working is ended before anything begins beside it.
  for (const { runId } of open) if (runId !== null && findHolder(layout, runId) === null) await reapRun(runId);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    ...place,
    tried: new Set(),
    active: new Map(),
    codes: [],
    inTurn,
    beganAt: Date.now(),
    record,
    spentUsd,
    limit: toSpentLimit(order, spentUsd),
    hasFailed: false,
    failure: null,
  };
}

function toCostUsd(layout: Layout, task: QueuedTask, env: Environment): number {
  return findRunOf(layout, task, env)?.costUsd ?? 0;
}

function toRanMs({ record, beganAt }: Night): number {
  return record.ranMs + (Date.now() - beganAt);
}

function toSpentLimit({ maxCostUsd }: NightOrder, spentUsd: number): string | null {
  return maxCostUsd === null || spentUsd < maxCostUsd ? null : `the night’s limit of ${toUsdText(maxCostUsd)}`;
}

/** The longest that a timer can be set for. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function setRuntimeLimit(night: Night): ReturnType<typeof setTimeout> | undefined {
  const { maxRuntimeMs } = night.order;
  if (maxRuntimeMs === null) return undefined;
  const text = `the night’s limit of ${toDurationText(maxRuntimeMs)}`;
  const reach = (): void => {
    reachLimit(night, text);
    for (const handle of night.active.values()) handle?.stop('interrupt', text);
  };
  return setTimeout(reach, Math.min(MAX_TIMER_MS, Math.max(0, maxRuntimeMs - night.record.ranMs)));
}

function reachLimit(night: Night, text: string): void {
  if (night.limit !== null) return;
  night.limit = text;
  night.order.tell({ kind: 'limit', text });
}

/** Whether nothing more is begun. */
function isClosing({ order, limit, hasFailed, failure }: Night): boolean {
  return order.abort.aborted || limit !== null || failure !== null || (order.stopOnFailure && hasFailed);
}

async function workOff(night: Night): Promise<void> {
  const { order, tried, active } = night;
  const jobs = new Set<Promise<void>>();
  for (;;) {
    while (!isClosing(night) && jobs.size < order.parallel) {
      const task = await takeNext(night);
      if (task === null) break;
      tried.add(task.id);
      active.set(task.id, null);
      const job: Promise<void> = workOn(night, task)
        .catch((error: unknown) => keepFailure(night, error))
        .finally(() => {
          active.delete(task.id);
          jobs.delete(job);
        });
      jobs.add(job);
    }
    if (jobs.size === 0) return;
    const over = new AbortController();
    const look =
      jobs.size < order.parallel && !isClosing(night) ? [pause(LOOK_EVERY_MS, null, { signal: over.signal }).catch(() => null)] : [];
    await Promise.race([...jobs, ...look]);
    over.abort();
  }
}

function keepFailure(night: Night, error: unknown): void {
  night.failure ??= error;
}

/** The next task, with its run's id written down before anything of it is made. */
function takeNext(night: Night): Promise<QueuedTask | null> {
  const { layout, order, tried, record } = night;
  return changeQueue(layout, (queue) => {
    const task = chooseTask(queue, tried);
    if (task === null) return { queue, made: null };
    const isSame = task.night === record.number;
    const begun = findRunOf(layout, task, order.env);
    // One that was written down and never made, or never began, is begun under an id of its own.
    const isNew = task.runId === null || (task.stage === 'starting' && begun === null);
    const change: Partial<QueuedTask> = {
      stage: isNew ? 'starting' : task.stage,
      runId: isNew ? createRunId(Date.now(), Math.random) : task.runId,
      night: record.number,
      costBeforeUsd: isSame ? task.costBeforeUsd : (begun?.costUsd ?? 0),
      problem: null,
    };
    return { queue: withTask(queue, task.id, change), made: { ...task, ...change } };
  });
}

async function workOn(night: Night, task: QueuedTask): Promise<void> {
  const { order, layout } = night;
  const runId = task.runId ?? '';
  try {
    const over = findOver(night, task);
    if (over !== null) return await note(night, task, over);
    let handle: RunHandle | null = null;
    const end = await order.watch(task, async (watch) => {
      handle = await night.inTurn(() => begin(night, task, watch));
      return handle;
    });
    if (end === null) return;
    const { reason, detail, exitCode } = end;
    night.codes.push(exitCode);
    night.hasFailed ||= reason !== 'completed';
    await note(night, task, { stage: isCutOff(reason) ? 'running' : 'over' });
    order.tell({ kind: 'ended', task, runId, end: { reason, detail, exitCode } });
  } catch (error) {
    const problem = isRalphError(error) ? error : toSystemError(error);
    night.codes.push(1);
    night.hasFailed = true;
    const isBegun = findRunOf(layout, task, order.env) !== null;
    await note(night, task, { problem: problem.message, ...(isBegun ? {} : { stage: 'waiting', runId: null }) });
    order.tell({ kind: 'refused', task, error: problem });
  }
}

/** What is to be written down of a task whose run needs nothing more; `null` for one that is to begin or to go on. */
function findOver({ layout, order }: Night, task: QueuedTask): Partial<QueuedTask> | null {
  if (task.stage === 'starting' && findRunOf(layout, task, order.env) === null) return null;
  const run = findRunOf(layout, task, order.env);
  // Its run was removed: what it did is not done again.
  if (run === null) return { stage: 'over', problem: 'Its run was removed.' };
  return run.status === 'ended' && run.reason !== null && !isCutOff(run.reason) ? { stage: 'over' } : null;
}

async function begin(night: Night, task: QueuedTask, watch: RunWatch): Promise<RunHandle | null> {
  const { order, layout } = night;
  const runId = task.runId ?? '';
  if (isClosing(night)) {
    // It was taken before, and nothing of it was made.
    if (findRunOf(layout, task, order.env) === null) await note(night, task, { stage: 'waiting', runId: null });
    return null;
  }
  const isResumed = findRunOf(layout, task, order.env) !== null;
  let handle: RunHandle | null = null;
  const observed: RunWatch = {
    ...watch,
    observe: (record) => {
      count(night, record);
      // The turn that reached the limit is over, and its completion counts; what is ordered after it is not wanted any more.
      if (night.limit !== null && record.kind === 'effect' && record.effect.type === 'iteration-start')
        handle?.stop('interrupt', night.limit);
      watch.observe(record);
    },
  };
  handle = isResumed ? await goOn(night, task, observed) : await start(night, task, observed);
  if (handle === null) {
    await note(night, task, { stage: 'over' });
    return null;
  }
  night.active.set(task.id, handle);
  // Whatever keeps this from being written, the run is there and is found by its id.
  await note(night, task, { stage: 'running' }).catch((error: unknown) => keepFailure(night, error));
  order.tell({ kind: 'begun', task, runId, isResumed, workspace: handle.workspace });
  return handle;
}

function count(night: Night, record: RunRecord): void {
  if (record.kind !== 'input' || record.input.type !== 'iteration-ended') return;
  night.spentUsd += record.input.usage.costUsd ?? 0;
  const reached = toSpentLimit(night.order, night.spentUsd);
  if (reached !== null) reachLimit(night, reached);
}

async function goOn({ order, layout }: Night, task: QueuedTask, watch: RunWatch): Promise<RunHandle | null> {
  const resumed = await resumeRun({ cwd: layout.root, run: task.runId ?? '', acceptChanges: false, env: order.env }, watch);
  if (resumed.kind === 'running') order.tell({ kind: 'warned', task, warnings: resumed.warnings });
  return resumed.kind === 'running' ? resumed.handle : null;
}

async function start({ order, layout, hasWorktrees }: Night, task: QueuedTask, watch: RunWatch): Promise<RunHandle> {
  const request = order.toRequest(task, layout.root);
  // As they would be typed after `-c`, so that a run that goes on later knows them.
  const place = hasWorktrees ? ['workspace=worktree'] : order.inPlace ? ['workspace=in_place'] : [];
  const plan = await planRun({ ...request, assignments: [...(request.assignments ?? []), ...place] });
  if (toLayout(layout.root, plan.settings.stateDir).stateDir !== layout.stateDir) throw toOtherState(plan.settings.stateDir);
  order.tell({ kind: 'warned', task, warnings: plan.warnings });
  return startRun(plan, { cwd: layout.root, worktree: null, nested: false, env: order.env, runId: task.runId ?? '' }, watch);
}

async function note(night: Night, task: QueuedTask, change: Partial<QueuedTask>): Promise<void> {
  const { layout } = night;
  const toQueue = (queue: Queue): Queue => ({ ...withTask(queue, task.id, change), night: { ...night.record, ranMs: toRanMs(night) } });
  await changeQueue(layout, (queue) => ({ queue: toQueue(queue), made: null }));
}

function toOtherState(stateDir: string): RalphError {
  return new RalphError({
    code: 'queue-place',
    what: `The configuration of this task keeps its runs in ${stateDir}, where the queue is not.`,
    why: 'After a kill the queue would not find the run again.',
    fix: 'Leave core.state_dir as the folder’s own ralph.yml has it.',
    exitCode: 2,
  });
}

function toSystemError(error: unknown): RalphError {
  return new RalphError({
    code: 'task-failed',
    what: `It could not begin: ${error instanceof Error ? error.message : toErrorCode(error)}`,
    cause: error,
  });
}
