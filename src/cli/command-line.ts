import { Command, CommanderError } from 'commander';
import { toShellWord } from '../core/text/shell-word.ts';
import { COMMAND_NAMES, COMMANDS, type CommandEntry } from './args/command-table.ts';
import { HELP_TOPICS, HELP_WIDTH, toRootHelp, toTopicHelp } from './args/help.ts';
import { RUN_OPTION } from './args/options.ts';
import { createUsageError, suggestWord } from './args/usage-error.ts';
import type { AppContext, CliCommand } from './cli-command.ts';
import type { CliContext, CommandCall, DeclaredCommand } from './cli-context.ts';
import { describeError } from './terminal/describe-error.ts';
import { OutputClosed, plainStyle } from './terminal/terminal.ts';
import { toUnwrittenText } from './terminal/unwritten-text.ts';

/**
 * Runs a command line in the context that is made for it. Never rejects.
 *
 * @param create makes the context; may throw a RalphError
 * @returns the exit code
 */
export async function runBundled(args: readonly string[], create: () => AppContext): Promise<number> {
  try {
    return await performCommandLine(args, create());
  } catch (error) {
    // The command line never throws: this is the context, which has no terminal yet.
    const { text, exitCode } = describeError(error, { style: plainStyle, debug: false });
    process.stderr.write(text);
    return exitCode;
  }
}

/** Reads a command line, does what it says and returns the exit code. Never throws. */
export async function performCommandLine(args: readonly string[], context: AppContext): Promise<number> {
  try {
    const exitCode = await dispatch(args, context);
    // That a file could not be written is told a moment after the write.
    await new Promise((resolve) => setImmediate(resolve));
    const failure = context.terminal.failure();
    if (failure === null) return exitCode;
    context.terminal.err(toUnwrittenText(failure));
    return exitCode === 0 ? 1 : exitCode;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    const { text, exitCode } = describeError(error, { style: context.terminal.errStyle, debug: (context.env['RALPH_DEBUG'] ?? '') !== '' });
    context.terminal.err(text);
    return exitCode;
  }
}

async function dispatch(args: readonly string[], context: AppContext): Promise<number> {
  const [first = ''] = args;
  if (first === '--help' || first === '-h' || (first === 'help' && args.length === 1)) {
    context.terminal.out(toRootHelp(toHelpWidth(context)));
    return 0;
  }
  if (first === 'help' && HELP_TOPICS.includes(args[1] ?? '')) {
    context.terminal.out(toTopicHelp(args[1] ?? '', toHelpWidth(context)));
    return 0;
  }
  if (first === 'help') return callCommand(findCommand(args.slice(1)), ['--help'], false, context);
  const isImplicit = first === '' || first.startsWith('-') || /\s/.test(first);
  return callCommand(findCommand(isImplicit ? ['run'] : args), isImplicit ? args : args.slice(1), isImplicit, context);
}

function toHelpWidth({ terminal }: CliContext): number {
  return terminal.isTty ? terminal.columns() : HELP_WIDTH;
}

/** All words up to the first option as one word of a shell, in which none of them means anything else. */
function toTaskWord(words: readonly string[]): string {
  const end = words.findIndex((word) => word.startsWith('-'));
  const task = (end === -1 ? words : words.slice(0, end)).join(' ').slice(0, 200);
  return /["$`\\!]/.test(task) ? toShellWord(task) : JSON.stringify(task);
}

function findCommand(words: readonly string[]): CommandEntry {
  const [name = ''] = words;
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const near = OTHER_WORDS[name.toLowerCase()] ?? toHelpTopic(name) ?? suggestWord(name, COMMAND_NAMES);
  const hint = near === undefined ? '' : `Did you mean \`ralph ${near}\`?\n`;
  throw createUsageError(
    `There is no command ${JSON.stringify(name.slice(0, 80))}.`,
    `${hint}All commands: ralph help all\nTo give it to an agent as a task: ralph run -p ${toTaskWord(words)}`,
  );
}

/** Somebody may type the word of a group as if it were a command. */
function toHelpTopic(name: string): string | undefined {
  return HELP_TOPICS.includes(name) ? `help ${name}` : undefined;
}

/** What people type who come from elsewhere, and the command that does it. */
const OTHER_WORDS: Readonly<Partial<Record<string, string>>> = {
  attach: 'watch',
  batch: 'queue',
  cancel: 'stop',
  cat: 'show --output',
  check: 'validate',
  continue: 'resume',
  cost: 'status',
  delete: 'clean',
  diff: 'show --diff',
  digest: 'queue digest',
  doc: 'explain',
  draw: 'graph',
  end: 'stop',
  enqueue: 'queue add',
  exec: 'run',
  fix: 'validate --fix',
  follow: 'show --follow',
  go: 'run',
  history: 'runs',
  info: 'status',
  jobs: 'runs',
  kill: 'stop --now',
  lint: 'validate',
  list: 'runs',
  log: 'show --output',
  logs: 'show --follow',
  loop: 'run',
  ls: 'runs',
  new: 'init',
  night: 'queue run',
  output: 'show --output',
  pause: 'stop',
  plan: 'run --dry-run',
  prune: 'clean',
  publish: 'emit',
  quit: 'stop',
  restart: 'resume',
  rm: 'clean',
  send: 'emit',
  setup: 'init',
  start: 'run',
  tail: 'show --follow',
  tasks: 'queue',
  templates: 'presets',
  test: 'gates --run',
  todo: 'queue',
  tui: 'run',
  ui: 'web',
  update: 'doctor',
  version: '--version',
  wt: 'run --worktree',
};

async function callCommand(entry: CommandEntry, args: readonly string[], isImplicit: boolean, context: AppContext): Promise<number> {
  const spec = await context.loadCommand(entry.name);
  let exitCode = 0;
  const command = createCommand(entry).configureOutput({
    writeOut: context.terminal.out,
    writeErr: () => undefined,
    getOutHelpWidth: () => toHelpWidth(context),
  });
  declare(command, spec);
  command.action(async () => {
    exitCode = await spec.perform(context, {
      args: withNamedRun(entry.name, command),
      options: command.opts(),
      isImplicit,
      words: args,
      declareAll: () => declareAll(context),
    });
  });
  try {
    await command.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw toUsageError(error, entry.name, command.args);
  }
}

/** Where a run is the first word of a command, it may be said with `--run` as well. */
function declare(command: Command, spec: CliCommand): void {
  spec.declare(command);
  if (takesRun(command)) command.option(...RUN_OPTION);
}

function takesRun({ registeredArguments }: Command): boolean {
  return registeredArguments[0]?.name() === 'run';
}

/** The words of a command, with the run that its option names where it would be typed. */
function withNamedRun(name: string, command: Command): CommandCall['args'] {
  const args: CommandCall['args'] = command.processedArgs;
  const run: unknown = command.opts()['run'];
  if (!takesRun(command) || typeof run !== 'string') return args;
  const [first, second] = args;
  if (first === undefined) return [run, ...args.slice(1)];
  if (command.registeredArguments.length > 1 && second === undefined) return [run, first];
  throw createUsageError('A run is said twice, as a word and with --run.', `Say it once: ralph ${name} ${toShellWord(run)}`);
}

/** Loads every command, to look at and not to call. */
export function declareAll({ loadCommand }: Pick<AppContext, 'loadCommand'>): Promise<readonly DeclaredCommand[]> {
  return Promise.all(
    COMMANDS.map(async (entry) => {
      const command = createCommand(entry);
      declare(command, await loadCommand(entry.name));
      return { ...entry, command };
    }),
  );
}

/** Whose tools were meant: a hat may be called like a profile. */
function toToolsHints(name: string): readonly string[] {
  return [`If it is a hat: ralph tools --hat ${name}`, `If it is a profile: ralph tools --profile ${name}`];
}

/** What commander has to say, in the words of all our errors: `error: unknown option '--foo'\n(Did you mean --for?)`. */
function toUsageError(error: CommanderError, name: string, words: readonly string[]): Error {
  const [first = '', ...hints] = error.message.replace(/^error: /, '').split('\n');
  const what = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`;
  const told = hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')).filter((hint) => hint !== '');
  const option = /unknown option '(--[^']*)'/.exec(first)?.[1] ?? '';
  const near = suggestWord(option, ['--version', '--help']) === '--version' ? ['Did you mean --version?'] : told;
  const whose = name === 'tools' && error.code === 'commander.excessArguments' ? toToolsHints(toShellWord(words[0] ?? '')) : [];
  return createUsageError(what, [...near, ...whose, `All options: ralph ${name} --help`].join('\n'));
}

/** A command without its arguments and options, in the manner of all commands. */
function createCommand({ name, summary }: Pick<CommandEntry, 'name' | 'summary'>): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return new Command(`ralph ${name}`)
    .description(description)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .helpOption('-h, --help', 'this page')
    .allowExcessArguments(false);
}
