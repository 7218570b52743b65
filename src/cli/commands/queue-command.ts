import { type Command, Option } from 'commander';
import { toCount } from '../../views/text/plain-text.ts';
import { addExamples, addNote } from '../args/help.ts';
import { addConfigOptions, addSettingFlags } from '../args/options.ts';
import { parseCount } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { AppApi, AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { addTasks } from '../queue/add-tasks.ts';
import { printDigest, printList } from '../queue/print-queue.ts';
import { performQueueRun } from '../queue/run-queue.ts';
import { isGiven, TASK_OPTIONS } from '../queue/task-request.ts';

const ACTIONS = ['list', 'add', 'run', 'digest', 'remove', 'clear'] as const;
type QueueAction = (typeof ACTIONS)[number];

export const queueCommand: CliCommand = { declare, perform };

function declare(command: Command): void {
  command
    .argument('[what]', '`list` (the default), `add`, `run`, `digest`, `remove` or `clear`')
    .argument('[words...]', 'with add: tasks, each in quotes; with remove: numbers of tasks')
    .option(
      '-P, --prompt-file <file>',
      'with add: a file with one task, read when the task begins; may be repeated; - for standard input',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option('--from <file>', 'with add: a list of tasks, in Markdown or one per line; - for standard input');
  addConfigOptions(command);
  addSettingFlags(command);
  command
    .option('--safe', 'with add: as in ralph run')
    .option('--no-safe', 'with add: as in ralph run')
    .option('--no-gates', 'with add: as in ralph run')
    .option('--parallel <n>', 'with run: this many tasks at once, each in a worktree')
    .option('--in-place', 'with run: all tasks in this folder instead of worktrees')
    .option('--stop-on-failure', 'with run: start no further task once one did not complete')
    .option('--detach', 'with run: start in the background: the queue keeps running when the terminal is closed')
    .option('--all', 'with clear: also the waiting tasks')
    .addOption(
      new Option('--format <format>', 'text for people, json for programs: one object per line; with run: text or ndjson')
        .choices(['text', 'json', 'ndjson'])
        .default('text'),
    )
    .option('-q, --quiet', 'with run: print only the digest')
    .option('-v, --verbose', 'with run: print every line of every run, with the number of its task');
  addNote(command, NOTE);
  addExamples(command, [
    ['ralph queue add "Make the tests pass" "Write the docs"', 'two tasks'],
    ['ralph queue add --from TODO.md --max-cost 2', 'the unticked tasks of a list, each with a limit'],
    ['ralph queue add -P task.md --hats preset:tdd', 'the task in a file, with a team'],
    ['ralph queue run --max-cost 20 --max-runtime 8h', 'every task that waits, with limits for all together'],
    ['ralph queue run --detach', 'the same in the background; see it with ralph queue'],
    ['ralph queue run --parallel 2', 'two at once, each in its own worktree'],
    ['ralph queue digest', 'in the morning: how the tasks ended, what to do next'],
    ['ralph queue remove 3', 'remove task 3'],
    ['ralph queue clear', 'remove finished tasks; their runs stay'],
  ]);
}

const NOTE =
  'With add, the options of ralph run are kept as typed and read when the task begins. With run, --max-cost and --max-runtime apply to all tasks together.';

const OPTIONS: Readonly<Record<QueueAction, readonly string[]>> = {
  list: ['format'],
  add: ['promptFile', 'from', ...TASK_OPTIONS],
  run: ['parallel', 'inPlace', 'stopOnFailure', 'detach', 'maxCost', 'maxRuntime', 'format', 'quiet', 'verbose'],
  digest: ['format'],
  remove: [],
  clear: ['all'],
};

async function perform(context: AppContext, call: CommandCall): Promise<number> {
  const [what = 'list', ...words] = call.args.flat().filter((word): word is string => word !== undefined);
  const action = ACTIONS.find((known) => known === what);
  if (action === undefined) {
    const hint = /\s/.test(what) ? '\nTo queue it as a task: ralph queue add "…"' : '';
    throw createUsageError(`\`ralph queue\` knows no ${JSON.stringify(what.slice(0, 60))}.`, `It knows: ${ACTIONS.join(', ')}.${hint}`);
  }
  checkOptions(action, call);
  if (words.length > 0 && action !== 'add' && action !== 'remove')
    throw createUsageError(`\`ralph queue ${action}\` takes no more words.`, `Leave out ${JSON.stringify(words[0]?.slice(0, 60))}.`);
  const app = await context.loadApp();
  return ACT[action](context, app, call, words);
}

function checkOptions(action: QueueAction, { options }: CommandCall): void {
  const format = options['format'];
  const isDefault = (name: string): boolean => name === 'format' && format === 'text';
  const wrong = Object.keys(options).find((name) => isGiven(name, options[name]) && !isDefault(name) && !OPTIONS[action].includes(name));
  if (wrong !== undefined) {
    const flag = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const owners = ACTIONS.filter((other) => OPTIONS[other].includes(wrong));
    throw createUsageError(`${flag} does not go with ${action}.`, `It goes with ${owners.join(', ')}.`);
  }
  const other = action === 'run' ? 'json' : 'ndjson';
  if (format === other)
    throw createUsageError(`--format ${other} does not go with ${action}.`, `Take ${action === 'run' ? 'ndjson' : 'json'}.`);
}

type PerformAction = (context: AppContext, app: AppApi, call: CommandCall, words: readonly string[]) => Promise<number>;

const ACT: Readonly<Record<QueueAction, PerformAction>> = {
  list: (context, app, { options }) => printList(context, app, options['format'] === 'json'),
  add: addTasks,
  run: performQueueRun,
  digest: (context, app, { options }) => printDigest(context, app, options['format'] === 'json'),
  remove: async ({ cwd, env, terminal }, app, _call, words) => {
    if (words.length === 0) throw createUsageError('Which task? Its number is missing.', 'See the numbers: ralph queue list');
    const ids = words.map((word) => parseCount(word, 'The number of a task', 1));
    const removed = await app.removeFromQueue(cwd, ids, env);
    for (const { id, runId } of removed)
      terminal.out(`Task ${id} is out of the queue.${runId === null ? '' : ` Its run stays: ralph show ${runId}`}\n`);
    return 0;
  },
  clear: async ({ cwd, env, terminal }, app, { options }) => {
    const removed = await app.clearQueue(cwd, options['all'] === true, env);
    terminal.out(`${toCount(removed.length, 'task')} taken out of the queue; their runs stay (ralph runs).\n`);
    return 0;
  },
};
