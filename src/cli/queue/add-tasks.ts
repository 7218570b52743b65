import { relative, resolve } from 'node:path';
import type * as App from '../../app/index.ts';
import { isRalphError } from '../../core/values/errors.ts';
import { toCount, toFirstLine, toPlainLine } from '../../views/text/plain-text.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CliContext, CommandCall } from '../cli-context.ts';
import { pickTaskOptions, toTaskRequest } from './task-request.ts';

interface AddFlags {
  readonly promptFile?: readonly string[];
  readonly from?: string;
}

/** `ralph queue add`: the words, one task each, then the files, then what a list has. */
export async function addTasks(context: CliContext, app: typeof App, { options }: CommandCall, words: readonly string[]): Promise<number> {
  const { cwd, env, terminal } = context;
  const drafts = await toDrafts(context, app, options as AddFlags, words);
  const taskOptions = pickTaskOptions(options);
  const withOptions = drafts.map((draft) => ({ ...draft, options: taskOptions }));
  const { root } = app.listQueue(cwd, env);
  const warning = await tryPlans(context, app, withOptions, root);
  const { tasks } = await app.addToQueue(cwd, withOptions, env);
  for (const { id, text, file } of tasks)
    terminal.out(`Task ${id}: ${text === null ? `what ${toPlainLine(file ?? '', 200)} says` : toFirstLine(text, 120)}\n`);
  // The first task of all makes the queue, and this folder need not be the one that was meant.
  if (root !== cwd || tasks[0]?.id === 1) terminal.err(`They are in the queue of ${root}.\n`);
  if (warning !== null) terminal.err(warning);
  terminal.err('See the queue: ralph queue. Run it: ralph queue run\n');
  return 0;
}

async function toDrafts(
  context: CliContext,
  app: typeof App,
  flags: AddFlags,
  words: readonly string[],
): Promise<readonly Omit<App.TaskDraft, 'options'>[]> {
  if (words.length > 1 && words.every((word) => !/\s/.test(word)))
    throw createUsageError(
      `These would be ${words.length} tasks of one word each.`,
      `Put each task into quotes: ralph queue add "${words
        .join(' ')
        .replace(/["$`\\!]/g, '')
        .slice(0, 60)}"`,
    );
  const { promptFile: files = [], from = null } = flags;
  if ([...files, from].filter((file) => file === '-').length > 1)
    throw createUsageError('Standard input can be read once.', 'Leave one - out.');
  const texts = words.map((text) => ({ text, file: null }));
  const named = await Promise.all(
    files.map(async (file) => (file === '-' ? { text: await context.readStdin(), file: null } : { text: null, file })),
  );
  const list = from === null ? [] : await readList(context, app, from);
  const drafts = [...texts, ...named, ...list];
  if (drafts.some(({ text }) => text?.includes('\0'))) throw createUsageError('A task contains a zero byte.', 'Give it as plain text.');
  if (drafts.some(({ text }) => text?.trim() === '')) throw createUsageError('A task is empty.', 'Say what is to be done.');
  if (drafts.length > 0) return drafts;
  if (from !== null)
    throw createUsageError(
      `${toPlainLine(from, 200)} lists no task.`,
      'One task a line, or a Markdown list whose boxes are not all ticked.',
    );
  throw createUsageError('What is to be done?', 'ralph queue add "Make the tests pass", or -P FILE, or --from FILE');
}

const MAX_LIST_BYTES = 8_000_000;

async function readList(context: CliContext, app: typeof App, from: string): Promise<readonly Omit<App.TaskDraft, 'options'>[]> {
  const text = from === '-' ? await context.readStdin() : await readFrom(context.cwd, from);
  return app.parseTaskList(text).map((task) => ({ text: task, file: null }));
}

async function readFrom(cwd: string, file: string): Promise<string> {
  const { readNamedFile } = await import('../../config/index.ts');
  const shown = toPlainLine(file, 300);
  return readNamedFile({
    path: resolve(cwd, file),
    shown,
    maxBytes: MAX_LIST_BYTES,
    code: 'queue-list',
    fix: 'Correct the path after --from.',
    kind: 'any',
  });
}

/**
 * Whether they could begin as things are now: nothing of it is kept. What cannot be right is refused, such as an option that cannot be read; of
 * anything else a person is told while he can still mend it.
 */
async function tryPlans({ cwd, env }: CliContext, app: typeof App, drafts: readonly App.TaskDraft[], root: string): Promise<string | null> {
  const [first, ...rest] = drafts;
  // The options are the same; only files can differ in whether there is a task in them.
  const tried = first === undefined ? [] : [first, ...rest.filter(({ file }) => file !== null)];
  for (const draft of tried) {
    try {
      await app.planStart({ ...toTaskRequest({ env }, { ...draft, folder: relative(root, cwd) }, root), isDry: true });
    } catch (error) {
      if (!isRalphError(error) || error.exitCode === 2) throw error;
      return `As things are now, ${drafts.length === 1 ? 'it' : `${toCount(drafts.length, 'task')}`} could not begin: ${toPlainLine(error.message, 300)}\n`;
    }
  }
  return null;
}
