import { Argument, type Command } from 'commander';
import { listPresets } from '../../config/index.ts';
import { BUILT_IN_POLICIES, DETECTED_BACKENDS } from '../../core/index.ts';
import { addExamples, type CliCommand, type DeclaredCommand } from '../cli-command.ts';
import { type CompletedCommand, toBashScript, toFishScript, toZshScript } from '../completion-scripts.ts';

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

/** What may follow the first word of such a command: words, or a line of a POSIX shell (and of fish) that prints one a line. */
const SECOND_WORDS: Readonly<Record<string, () => CompletedCommand['second']>> = {
  // Shells expand what is in a list once more: what has more in it than the name of a hat may have is no name of a hat.
  hats: () => ({ after: 'show', print: `ralph hats --format json 2>/dev/null | cut -d '"' -f 6 | grep -xE '[A-Za-z0-9_-]+'` }),
  presets: () => ({ after: 'show', words: listPresets().map(({ name }) => name) }),
};

function toCompleted({ name, summary, command }: DeclaredCommand): CompletedCommand {
  const values = SUBCOMMANDS[name] ?? listValues(command);
  return { name, summary, options: listOptions(command), values, second: SECOND_WORDS[name]?.() ?? null };
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

function listValues(command: Command): readonly string[] {
  return command.registeredArguments[0]?.argChoices ?? [];
}
