import { join, resolve } from 'node:path';
import type { QueuedTask, TaskOptions } from '../../queue/queue-file.ts';
import type { RunRequest } from '../../runs/run-api.ts';
import { toConfigRequest } from '../args/options.ts';
import { type RunFlags, toAssignments } from '../args/run-flags.ts';
import type { CliContext } from '../cli-context.ts';

/** The options of `ralph run` that a task can be queued with, as commander names them. */
export const TASK_OPTIONS = [
  'config',
  'hats',
  'backend',
  'model',
  'maxIterations',
  'maxCost',
  'maxRuntime',
  'safe',
  'gates',
] as const satisfies readonly (keyof RunFlags)[];

/** Those of the options that belong to a task, as they were typed. */
export function pickTaskOptions(options: Readonly<Record<string, unknown>>): TaskOptions {
  return Object.fromEntries(
    TASK_OPTIONS.filter((name) => isGiven(name, options[name])).map((name) => [name, options[name]]),
  ) as TaskOptions;
}

/** Whether an option was typed: without `--no-gates` there are gates. */
export function isGiven(name: string, value: unknown): boolean {
  return value !== undefined && !(name === 'gates' && value === true);
}

/** What `ralph run` would be asked for the task: files are found from the folder in which it was typed. */
export function toTaskRequest(
  { env }: Pick<CliContext, 'env'>,
  { text, file, folder, options }: Pick<QueuedTask, 'text' | 'file' | 'folder' | 'options'>,
  root: string,
): RunRequest {
  const base = join(root, folder);
  const place = (path: string): string => (folder === '' ? path : resolve(base, path));
  const flags = options as RunFlags;
  const config = toConfigRequest({ cwd: root, env }, flags);
  const { hatsOverlay } = config;
  return {
    ...config,
    assignments: [...config.assignments, ...toAssignments(flags)],
    configFiles: config.configFiles.map(place),
    ...(hatsOverlay === undefined ? {} : { hatsOverlay: hatsOverlay.startsWith('preset:') ? hatsOverlay : place(hatsOverlay) }),
    flags: {
      ...config.flags,
      ...(flags.gates === false ? { noGates: true as const } : {}),
      ...(text === null ? {} : { prompt: text }),
      ...(file === null ? {} : { promptFile: place(file) }),
    },
  };
}
