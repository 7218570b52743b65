/**
 * Front door of `queue`: the tasks of a folder that are run one after another, overnight. `queue-file <- queue-plan <- queue-task <- queue-edit, run-queue`. No run is started
 * here: who runs the queue hands over what does.
 */

export { parseTaskList } from './parse-task-list.ts';
export { addToQueue, clearQueue, type ListedQueue, type ListedTask, listQueue, type QueuedTasks, removeFromQueue } from './queue-edit.ts';
export type { NightRecord, QueuedTask, TaskDraft, TaskOptions } from './queue-file.ts';
export { isCutOff, type NightEnd, type NightNews, type NightOrder, type PlannedTask } from './queue-plan.ts';
export { runNight } from './run-queue.ts';
