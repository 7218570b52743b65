import type { RunRecord } from '../core/run/run-record.ts';
import { toUsdText } from '../core/text/duration.ts';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, RalphError, toErrorMessage } from '../core/values/errors.ts';
import { hasNeverBegun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type Layout, toLayout } from '../runs/layout.ts';
import { summariseRun } from '../runs/list-runs.ts';
import type { RunHandle, RunSummary, RunWatch } from '../runs/run-api.ts';
import { findHolder } from '../runs/run-lock.ts';
import { changeQueue, type NightRecord, type Queue, type QueuedTask } from './queue-file.ts';
import { isCutOff, type NightOrder, type RunStarters, withTask } from './queue-plan.ts';

export interface NightPlace {
  readonly order: NightOrder;
  readonly layout: Layout;
  readonly hasWorktrees: boolean;
  readonly starters: RunStarters;
}

export interface Night extends NightPlace {
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

/** How long the night has been under way. */
export function toRanMs({ record, beganAt }: Night): number {
  return record.ranMs + (Date.now() - beganAt);
}

/** The limit of cost in words, where so much reaches it. */
export function toSpentLimit({ maxCostUsd }: NightOrder, spentUsd: number): string | null {
  return maxCostUsd === null || spentUsd < maxCostUsd ? null : `the queue’s limit of ${toUsdText(maxCostUsd)}`;
}

/** Says once that a limit is reached. */
export function reachLimit(night: Night, text: string): void {
  if (night.limit !== null) return;
  night.limit = text;
  night.order.tell({ kind: 'limit', text });
}

/** Whether nothing more is begun. */
export function isClosing({ order, limit, hasFailed, failure }: Night): boolean {
  return order.abort.aborted || limit !== null || failure !== null || (order.stopOnFailure && hasFailed);
}

/** What is under way goes on to its end, and nothing more is begun. */
export function keepFailure(night: Night, error: unknown): null {
  night.failure ??= error;
  return null;
}

/** Begins a task or goes on with it, and writes down what came of it. */
export async function workOn(night: Night, task: QueuedTask): Promise<void> {
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
    const problem = toTaskProblem(error);
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
  // It was reached while this one was being started.
  if (night.limit !== null) handle.stop('interrupt', night.limit);
  // Whatever keeps this from being written, the run is there and is found by its id.
  await note(night, task, { stage: 'running' }).catch((error: unknown) => keepFailure(night, error));
  order.tell({ kind: 'begun', task, runId, isResumed, workspace: handle.workspace, reach: handle.reach });
  if (handle.warnings.length > 0) order.tell({ kind: 'warned', task, warnings: handle.warnings });
  return handle;
}

function count(night: Night, record: RunRecord): void {
  if (record.kind !== 'input' || record.input.type !== 'iteration-ended') return;
  night.spentUsd += record.input.usage.costUsd ?? 0;
  const reached = toSpentLimit(night.order, night.spentUsd);
  if (reached !== null) reachLimit(night, reached);
}

async function goOn({ order, layout, starters }: Night, task: QueuedTask, watch: RunWatch): Promise<RunHandle | null> {
  const resumed = await starters.resume({ cwd: layout.root, run: task.runId ?? '', acceptChanges: false, env: order.env }, watch);
  if (resumed.kind === 'running') order.tell({ kind: 'warned', task, warnings: resumed.warnings });
  return resumed.kind === 'running' ? resumed.handle : null;
}

async function start({ order, layout, hasWorktrees, starters }: Night, task: QueuedTask, watch: RunWatch): Promise<RunHandle> {
  const request = order.toRequest(task, layout.root);
  // As they would be typed after `-c`, so that a run that goes on later knows them.
  const place = hasWorktrees ? ['workspace=worktree'] : order.inPlace ? ['workspace=in_place'] : [];
  const plan = await starters.plan({ ...request, assignments: [...(request.assignments ?? []), ...place] });
  if (toLayout(layout.root, plan.stateDir).stateDir !== layout.stateDir) throw toOtherState(plan.stateDir);
  order.tell({ kind: 'warned', task, warnings: plan.warnings });
  return plan.start({ cwd: layout.root, worktree: null, nested: false, env: order.env, runId: task.runId ?? '' }, watch);
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

export function toTaskProblem(error: unknown): RalphError {
  if (isRalphError(error)) return error;
  return new RalphError({
    code: 'task-failed',
    what: `It could not begin: ${toErrorMessage(error)}`,
    why: 'That was the system, not the task; it stays in the queue, and the others continue.',
    fix: 'Do what the message asks for, then: ralph queue run',
    cause: error,
  });
}

/** What became of a task's run, as its journal tells. */
export function findRunOf(layout: Layout, { runId }: QueuedTask, env: Environment): RunSummary | null {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  if (runId === null || (hasNeverBegun(state, runId) && findHolder(layout, runId) === null)) return null;
  return summariseRun(layout.root, runId, env);
}
