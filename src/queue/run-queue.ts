import { setTimeout as pause } from 'node:timers/promises';
import { toDurationText } from '../core/text/duration.ts';
import { RalphError } from '../core/values/errors.ts';
import { captureBase } from '../git/repository.ts';
import type { Lock } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createRunId } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import { listRunWorktrees, removeRunWorktree } from '../landing/worktrees.ts';
import { discardUnbegun } from '../runs/clean-runs.ts';
import { findLayout } from '../runs/find-layout.ts';
import { type Layout, requireLayout } from '../runs/layout.ts';
import { refuseNested } from '../runs/living-runs.ts';
import { requireOutside } from '../runs/people.ts';
import { reapRun } from '../runs/processes.ts';
import { findHolder, releaseLock, tryLock } from '../runs/run-lock.ts';
import { isWorktreeOf } from '../runs/run-workspace.ts';
import { changeQueue, type QueuedTask, readQueue, toNightLock, toQueueInProgress } from './queue-file.ts';
import {
  chooseTask,
  type NightEnd,
  type NightOrder,
  type NightReason,
  type RunStarters,
  toNight,
  toNightExitCode,
  withTask,
} from './queue-plan.ts';
import { findRunOf, isClosing, keepFailure, type Night, type NightPlace, reachLimit, toRanMs, toSpentLimit, workOn } from './queue-task.ts';

/**
 * Runs the tasks of a queue until none is left: those that a kill or a Ctrl+C cut off first, then those that wait, and those that are added meanwhile.
 *
 * @throws RalphError `person-refused`, `run-nested`, `queue-in-progress`, `queue-unreadable`, `queue-place`; the system error
 */
export async function runNight(order: NightOrder, starters: RunStarters): Promise<NightEnd> {
  refuseNested({ env: order.env, nested: false });
  const layout = requireLayout(findLayout(order.cwd));
  requireOutside(layout, order.env);
  const hasWorktrees = await findPlace(layout, order);
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const outcome = tryLock({ layout, runId: 'none', command: 'ralph queue run' }, toNightLock(layout));
  if (!outcome.ok) throw toQueueInProgress(layout, outcome.refused);
  return runLocked({ order, layout, hasWorktrees, starters }, outcome.value);
}

/** Whether each task gets a worktree. Throws RalphError `queue-place`. */
async function findPlace(layout: Layout, { env, inPlace, parallel }: NightOrder): Promise<boolean> {
  const { commit, branch } = await captureBase({ cwd: layout.root, env, stateDirs: [] });
  if (!inPlace && commit !== null) return true;
  if (!inPlace && branch !== null)
    throw new RalphError({
      code: 'queue-place',
      what: 'This repository has no commit yet, so no task can have its own worktree.',
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

async function runLocked(place: NightPlace, lock: Lock): Promise<NightEnd> {
  let night: Night | null = null;
  try {
    night = await beginNight(place);
    const spent = toSpentLimit(place.order, night.spentUsd);
    if (spent !== null) reachLimit(night, spent);
    const timer = setRuntimeLimit(night);
    await workOff(night);
    clearTimeout(timer);
    if (night.failure !== null) throw night.failure;
    const reason = toReason(night);
    const { order, layout, tried, codes } = night;
    const endedAt = Date.now();
    const record = { ...night.record, endedAt, ranMs: toRanMs(night) };
    // A process that ends in order has no night that goes on.
    await changeQueue(layout, (queue) => ({
      queue: queue.night.number === record.number ? { ...queue, night: record } : queue,
      made: null,
    }));
    return { night: record, reason, exitCode: toNightExitCode(order.abort.aborted ? 'stopped' : reason, codes), tasks: [...tried] };
  } finally {
    releaseLock(lock);
  }
}

function toReason({ order, limit, hasFailed }: Night): NightReason {
  if (order.abort.aborted) return 'stopped';
  if (limit !== null) return 'limit';
  return order.stopOnFailure && hasFailed ? 'failure' : 'done';
}

async function beginNight(place: NightPlace): Promise<Night> {
  const { layout, order } = place;
  const queue = readQueue(layout);
  // Written down with the first task: a night in which nothing is open is none.
  const record = toNight(queue, Date.now());
  const own = queue.tasks.filter((task) => task.night === record.number);
  const spentUsd = own.reduce((sum, task) => sum + toCostUsd(layout, task, order.env) - task.costBeforeUsd, 0);
  const open = queue.tasks.filter(({ stage }) => stage === 'starting' || stage === 'running');
  for (const task of open) await clearDead(place, task);
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
    limit: null,
    hasFailed: false,
    failure: null,
  };
}

function toCostUsd(layout: Layout, task: QueuedTask, env: NightOrder['env']): number {
  return findRunOf(layout, task, env)?.costUsd ?? 0;
}

/** What a killed run left working is ended before anything begins beside it; of one that never began nothing stays. */
async function clearDead({ layout, order }: NightPlace, task: QueuedTask): Promise<void> {
  const { runId } = task;
  if (runId === null || findHolder(layout, runId) !== null) return;
  await reapRun(runId);
  if (findRunOf(layout, task, order.env) !== null) return;
  await discardUnbegun(layout, runId, order.env);
  // Its worktree bears its id, and nobody has worked in it.
  const worktrees = await listRunWorktrees(layout.root, order.env).catch(() => []);
  for (const { name } of worktrees.filter((worktree) => isWorktreeOf(runId, worktree.name)))
    await removeRunWorktree(layout.root, name, false, order.env).catch(() => undefined);
}

/** The longest that a timer can be set for. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function setRuntimeLimit(night: Night): ReturnType<typeof setTimeout> | undefined {
  const { maxRuntimeMs } = night.order;
  const leftMs = Math.max(0, (maxRuntimeMs ?? Number.POSITIVE_INFINITY) - night.record.ranMs);
  if (maxRuntimeMs === null || leftMs > MAX_TIMER_MS) return undefined;
  const text = `the queue’s limit of ${toDurationText(maxRuntimeMs)}`;
  const reach = (): void => {
    reachLimit(night, text);
    for (const handle of night.active.values()) handle?.stop('interrupt', text);
  };
  return setTimeout(reach, leftMs);
}

async function workOff(night: Night): Promise<void> {
  const { order, tried, active } = night;
  const jobs = new Set<Promise<unknown>>();
  for (;;) {
    while (!isClosing(night) && jobs.size < order.parallel) {
      const task = await takeNext(night).catch((error: unknown) => keepFailure(night, error));
      if (task === null) break;
      tried.add(task.id);
      active.set(task.id, null);
      const job: Promise<unknown> = workOn(night, task)
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
    return { queue: { ...withTask(queue, task.id, change), night: { ...record, ranMs: toRanMs(night) } }, made: { ...task, ...change } };
  });
}
