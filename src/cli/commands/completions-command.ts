import { Argument, type Command } from 'commander';
import { listPresets } from '../../config/index.ts';
import { BUILT_IN_POLICIES, DETECTED_BACKENDS } from '../../core/index.ts';
import { addExamples, type CliCommand, type DeclaredCommand, RUN_ARGUMENT } from '../cli-command.ts';
import { type CompletedCommand, toBashScript, toFishScript, toZshScript, type Words } from '../completion-scripts.ts';

const SCRIPTS = { bash: toBashScript, zsh: toZshScript, fish: toFishScript } as const;

/** `ralph completions`. */
export const completionsCommand: CliCommand = {
  declare: (command) => {
    command.addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)));
    addExamples(command, [
      ['source <(ralph completions bash)', 'in ~/.bashrc'],
      ['source <(ralph completions zsh)', 'in ~/.zshrc, after compinit'],
      ['ralph completions fish | source', 'in ~/.config/fish/config.fish'],
    ]);
  },
  perform: async ({ terminal }, { args, declareAll }) => {
    const commands = (await declareAll()).map(toCompleted);
    terminal.out(SCRIPTS[args[0] as keyof typeof SCRIPTS](commands));
    return 0;
  },
};

/** What may follow options that take other values as well. */
const LISTED: Readonly<Record<string, () => readonly string[]>> = {
  '--backend': () => [...DETECTED_BACKENDS, 'native'],
  '--preset': () => listPresets().map(({ name }) => name),
  '--profile': () => Object.keys(BUILT_IN_POLICIES),
};

/** First words of commands that are several. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  config: ['show', 'schema'],
  hats: ['show'],
  presets: ['show'],
  queue: ['list', 'add', 'run', 'digest', 'remove', 'clear'],
  worktrees: ['list', 'diff', 'merge', 'remove'],
};

/**
 * A line of a POSIX shell (and of fish) that prints the names that a command lists, one a line: the first of what is in each of its records. Shells expand what is
 * in a list once more: what has more in it than a name may have is no name.
 */
function printNames(command: string): Words {
  return { print: `ralph ${command} --format json 2>/dev/null | cut -d '"' -f 6 | grep -xE '[A-Za-z0-9_-]+'` };
}

/** What may follow the first word of such a command. */
const SECOND_WORDS: Readonly<Record<string, () => CompletedCommand['second']>> = {
  hats: () => ({ after: ['show'], ...printNames('hats') }),
  presets: () => ({ after: ['show'], words: listPresets().map(({ name }) => name) }),
  worktrees: () => ({ after: ['diff', 'merge', 'remove'], ...printNames('worktrees') }),
};

function toCompleted({ name, summary, command }: DeclaredCommand): CompletedCommand {
  return { name, summary, options: listOptions(command), first: findFirst(name, command), second: SECOND_WORDS[name]?.() ?? null };
}

function findFirst(name: string, command: Command): Words | null {
  const [argument] = command.registeredArguments;
  const words = SUBCOMMANDS[name] ?? argument?.argChoices;
  if (words !== undefined) return { words };
  if (name === 'explain') return printNames('explain');
  return argument !== undefined && `[${argument.name()}]` === RUN_ARGUMENT[0] ? printNames('runs') : null;
}

function listOptions(command: Command): CompletedCommand['options'] {
  const options = command.options.map(({ long, short, description, argChoices, required, optional }) => ({
    names: [short, long].filter((name): name is string => name !== undefined),
    description,
    choices: argChoices ?? LISTED[long ?? '']?.() ?? [],
    takesValue: required || optional,
  }));
  return [...options, { names: ['-h', '--help'], description: 'this page', choices: [], takesValue: false }];
}
