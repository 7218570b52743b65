import { relative, resolve } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { findLayout } from '../runs/find-layout.ts';
import type { Layout } from '../runs/layout.ts';

import { requireOutside } from '../runs/people.ts';
import type { RunSummary } from '../runs/run-api.ts';
import { findHolder, readHolder } from '../runs/run-lock.ts';
import { changeQueue, type NightRecord, type QueuedTask, readQueue, type TaskDraft, toNightLock } from './queue-file.ts';
import { withoutTasks, withTasks } from './queue-plan.ts';
import { findRunOf } from './queue-task.ts';

/** The tasks of all texts together, in characters: the queue is one file that is read whole. */
const MAX_CHARS = 8 << 20;

/** Tasks that were put into a queue, and the folder whose queue it is. */
export interface QueuedTasks {
  readonly root: string;
  readonly tasks: readonly QueuedTask[];
}

/**
 * Puts tasks at the end of the queue, also while it is being run.
 *
 * @throws RalphError `person-refused` for what belongs to a run; `queue-full`; as `changeQueue`
 */
export async function addToQueue(cwd: string, drafts: readonly TaskDraft[], env: Environment): Promise<QueuedTasks> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  const folder = relative(layout.root, resolve(cwd));
  const tasks = await changeQueue(layout, (queue) => {
    const chars = [...queue.tasks, ...drafts].reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    if (chars > MAX_CHARS) throw toFull();
    return withTasks(queue, drafts, { at: Date.now(), folder });
  });
  return { root: layout.root, tasks };
}

/**
 * Takes tasks out of the queue. Their runs stay.
 *
 * @throws RalphError `person-refused`; `task-unknown`, `task-busy`: then none is taken out
 */
export function removeFromQueue(cwd: string, ids: readonly number[], env: Environment): Promise<readonly QueuedTask[]> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  return changeQueue(layout, (queue) => {
    const unknown = ids.find((id) => !queue.tasks.some((task) => task.id === id));
    if (unknown !== undefined) throw toUnknown(unknown);
    const made = queue.tasks.filter(({ id }) => ids.includes(id));
    const busy = made.find((task) => isAtWork(layout, task));
    if (busy !== undefined) throw toBusy(busy);
    return { queue: withoutTasks(queue, ids), made };
  });
}

/**
 * Takes the tasks out whose runs have ended; with `all` those too that wait or were cut off. What is at work stays.
 *
 * @throws RalphError `person-refused`
 */
export function clearQueue(cwd: string, all: boolean, env: Environment): Promise<readonly QueuedTask[]> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  return changeQueue(layout, (queue) => {
    const made = queue.tasks.filter((task) => (all || task.stage === 'over') && !isAtWork(layout, task));
    const ids = made.map(({ id }) => id);
    return { queue: ids.length === 0 ? queue : withoutTasks(queue, ids), made };
  });
}

/** Whether a process works on it, or is about to. */
function isAtWork(layout: Layout, { stage, runId }: QueuedTask): boolean {
  if (stage === 'starting') return readHolder(layout, toNightLock(layout)) !== null;
  return runId !== null && findHolder(layout, runId) !== null;
}

/** A task with what is known of its run; `null` where that has not begun, or is gone. */
export interface ListedTask extends QueuedTask {
  readonly run: RunSummary | null;
}

export interface ListedQueue {
  readonly root: string;
  /** Absolute. */
  readonly stateDir: string;
  readonly night: NightRecord;
  /** The process that runs it, if one does. */
  readonly pid: number | null;
  readonly tasks: readonly ListedTask[];
}

/** The queue of a folder as it stands, with its runs as they are now. Throws RalphError `queue-unreadable`. */
export function listQueue(cwd: string, env: Environment): ListedQueue {
  const layout = findLayout(cwd);
  const { night, tasks } = readQueue(layout);
  const holder = readHolder(layout, toNightLock(layout));
  return {
    root: layout.root,
    stateDir: layout.stateDir,
    night,
    pid: holder?.owner?.pid ?? null,
    tasks: tasks.map((task) => ({ ...task, run: findRunOf(layout, task, env) })),
  };
}

function toFull(): RalphError {
  return new RalphError({
    code: 'queue-full',
    what: 'The tasks of the queue would be longer than 8 MB together; none was added.',
    why: 'The queue is one file that is read and written whole.',
    fix: 'Put a long task into a file and queue that: ralph queue add -P FILE',
    exitCode: 2,
  });
}

function toUnknown(id: number): RalphError {
  return new RalphError({
    code: 'task-unknown',
    what: `The queue has no task ${id}.`,
    fix: 'See its tasks: ralph queue list',
    exitCode: 2,
  });
}

function toBusy({ id, runId }: QueuedTask): RalphError {
  return new RalphError({
    code: 'task-busy',
    what: `Task ${id} is at work${runId === null ? '' : ` (run ${runId})`}.`,
    why: 'Its run would continue, and nobody would find it in the queue.',
    fix: runId === null ? 'Try again in a moment.' : `Stop it: ralph stop ${runId}`,
  });
}
