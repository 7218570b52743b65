import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toDurationText } from '../core/text/duration.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, isTextList, isTextOrNull, type Json, type JsonObject } from '../core/values/json.ts';
import type { Lock, LockHolder } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { isRunId } from '../journal/run-folder.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { ensureStateFolders, requireKind } from '../journal/state-folders.ts';
import type { Layout } from '../runs/layout.ts';
import { isUnseen, tryLock } from '../runs/run-lock.ts';

/** The options of `ralph run` that a task was queued with, as they were typed. */
export type TaskOptions = Readonly<Record<string, string | boolean | readonly string[]>>;

/**
 * `starting`: its run has an id and may have begun. `running`: its run has begun, and has not come to an end that lasts: it is under way, or was stopped or killed.
 * `over`: its run has ended.
 */
export type TaskStage = 'waiting' | 'starting' | 'running' | 'over';

export interface TaskDraft {
  /** What is to be done; `null`: the file says it, when the task begins. */
  readonly text: string | null;
  readonly file: string | null;
  readonly options: TaskOptions;
}

export interface QueuedTask extends TaskDraft {
  /** From 1; no other task ever gets it. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly addedAt: number;
  /** The folder in which it was typed, relative to that of the queue: files that it names are found from there. */
  readonly folder: string;
  readonly stage: TaskStage;
  readonly runId: string | null;
  /** The night that worked on it last; 0: none. */
  readonly night: number;
  /** What its run had cost before that night. */
  readonly costBeforeUsd: number;
  /** Why it could not begin or go on, the last time. */
  readonly problem: string | null;
}

/** One `ralph queue run`, and those that went on with it after a kill. */
export interface NightRecord {
  /** From 1; 0: there was none. */
  readonly number: number;
  readonly startedAt: number;
  /** `null`: it is under way, or was killed. */
  readonly endedAt: number | null;
  /** Time it was under way, as far as it was written down. */
  readonly ranMs: number;
}

/** What `queue.json` in the state folder says. */
export interface Queue {
  readonly nextId: number;
  readonly night: NightRecord;
  /** In the order in which they are begun. */
  readonly tasks: readonly QueuedTask[];
}

const EMPTY: Queue = { nextId: 1, night: { number: 0, startedAt: 0, endedAt: 0, ranMs: 0 }, tasks: [] };

function toQueuePath({ stateDir }: Pick<Layout, 'stateDir'>): string {
  return join(stateDir, 'queue.json');
}

/** The lock of whoever runs the queue. */
export function toNightLock({ stateDir }: Layout): string {
  return join(stateDir, 'queue-run.lock');
}

/**
 * The queue of a folder; an empty one where there is none. An agent may have put anything in its place: nothing is followed or waited for.
 *
 * @throws RalphError `queue-unreadable`, `events-file-not-a-file`
 */
export function readQueue(layout: Layout): Queue {
  const path = toQueuePath(layout);
  const fs = createSharedFileSystem(layout.stateDir);
  if (nodeFileSystem.stat(layout.stateDir) === null || fs.stat(path) === null) return EMPTY;
  let value: Json;
  try {
    value = readSettings(fs, path);
  } catch (error) {
    throw error instanceof RalphError && error.code === 'run-settings-unreadable' ? toUnreadable(path, 'It is no JSON.') : error;
  }
  return parseQueue(value, path);
}

/** Why a second one does not run the queue. */
export function toQueueInProgress(layout: Layout, holder: LockHolder): RalphError {
  const { owner } = holder;
  const process = owner === null ? '' : ` (process ${owner.pid}, started ${toDurationText(Math.max(0, Date.now() - owner.startedAt))} ago)`;
  return new RalphError({
    code: 'queue-in-progress',
    what: `Another \`ralph queue run\`${process} ${isUnseen(holder) ? 'may be' : 'is'} under way in this folder.`,
    why: 'Two would begin the same tasks.',
    fix: [
      'See it:          ralph queue list',
      'Add to it:       ralph queue add "…"',
      'Stop it:         Ctrl+C where it was started',
      ...(isUnseen(holder) ? [`It is gone:      rm -f ${toNightLock(layout)}`] : []),
    ].join('\n'),
  });
}

/** How long a command waits for another one that changes the queue at this moment. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Changes the queue: at any moment the old or the new one is on disk, and no other change is lost.
 *
 * @returns what `change` made beside the new queue
 * @throws RalphError `queue-busy`, `queue-unreadable`, `state-folder`; what `change` throws; the system error
 */
export async function changeQueue<Made>(
  layout: Layout,
  change: (queue: Queue) => { readonly queue: Queue; readonly made: Made },
): Promise<Made> {
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  requireKind(toQueuePath(layout), 'file');
  const lock = await lockFile(layout);
  try {
    const before = readQueue(layout);
    const { queue, made } = change(before);
    if (queue !== before) writeSettings(nodeFileSystem, toQueuePath(layout), { version: 1, ...queue } as unknown as Json);
    return made;
  } finally {
    lock.release();
  }
}

async function lockFile(layout: Layout): Promise<Lock> {
  const path = join(layout.stateDir, 'queue.lock');
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const outcome = tryLock({ layout, runId: 'none', command: 'ralph queue' }, path);
    if (outcome.ok) return outcome.value;
    if (waitedMs >= PATIENCE_MS) {
      throw new RalphError({
        code: 'queue-busy',
        what: 'Another command has been changing the queue for ten seconds.',
        why: 'Two that write it at once would lose a task.',
        fix: `Try again. If no such command is alive: rm -f ${path}`,
      });
    }
    await pause(LOOK_EVERY_MS);
  }
}

const STAGES: readonly string[] = ['waiting', 'starting', 'running', 'over'] satisfies readonly TaskStage[];

/** The queue that a value says. What is no queue in any part of it is none: nothing may be lost by writing over it. */
export function parseQueue(value: Json, path: string): Queue {
  if (!isJsonObject(value) || value['version'] !== 1) throw toUnreadable(path, 'It was not written by this version.');
  const { nextId, night, tasks } = value;
  if (!isCount(nextId) || !isJsonObject(night) || !Array.isArray(tasks)) throw toUnreadable(path, 'A part of it is missing.');
  const list = tasks.map((task) => parseTask(task, path));
  const ids = new Set(list.map(({ id }) => id));
  if (ids.size < list.length || list.some(({ id }) => id >= nextId)) throw toUnreadable(path, 'Two tasks have the same number.');
  const { number, startedAt, endedAt, ranMs } = night;
  if (!isAmount(number) || !isAmount(startedAt) || !isAmount(ranMs) || !(endedAt === null || isAmount(endedAt)))
    throw toUnreadable(path, 'What it says of the last run of the queue makes no sense.');
  return { nextId, night: { number, startedAt, endedAt, ranMs }, tasks: list };
}

function parseTask(value: Json, path: string): QueuedTask {
  const task = isJsonObject(value) ? toTask(value) : null;
  if (task === null) throw toUnreadable(path, 'One of its tasks makes no sense.');
  return task;
}

function toTask(value: JsonObject): QueuedTask | null {
  const { id, addedAt, text, file, folder, options, stage, runId, night, costBeforeUsd, problem } = value;
  if (!isCount(id) || !isAmount(addedAt) || !isAmount(night) || !isAmount(costBeforeUsd)) return null;
  if (!isTextOrNull(text) || !isTextOrNull(file) || !isTextOrNull(problem) || typeof folder !== 'string') return null;
  if ((text === null) === (file === null) || typeof stage !== 'string' || !STAGES.includes(stage)) return null;
  if (!isTextOrNull(runId) || (runId !== null && !isRunId(runId)) || !isOptions(options)) return null;
  return { id, addedAt, text, file, folder, options, stage: stage as TaskStage, runId, night, costBeforeUsd, problem };
}

function isOptions(value: Json | undefined): value is JsonObject & TaskOptions {
  return (
    isJsonObject(value) &&
    Object.values(value).every((option) => typeof option === 'string' || typeof option === 'boolean' || isTextList(option))
  );
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function toUnreadable(path: string, why: string): RalphError {
  return new RalphError({
    code: 'queue-unreadable',
    what: `The queue cannot be read: ${path}`,
    why: `${why} Nothing was written over it.`,
    fix: 'Fix it, or move it away and add the tasks again: ralph queue add',
  });
}
