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
  worktrees: ['list', 'diff', 'merge', 'remove'],
};

function toCompleted({ name, summary, command }: DeclaredCommand): CompletedCommand {
  return { name, summary, options: listOptions(command), values: SUBCOMMANDS[name] ?? listValues(command) };
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
