import { Argument, type Command } from 'commander';
import { listPresets } from '../../config/layers/package-files.ts';
import { DETECTED_BACKENDS } from '../../core/backends/backend-spec.ts';
import { HOOK_EVENTS } from '../../core/hooks/hook-moments.ts';
import { BUILT_IN_POLICIES } from '../../core/tools/tool-profiles.ts';
import { addExamples } from '../args/help.ts';
import { RUN_ARGUMENT } from '../args/options.ts';
import type { CliCommand } from '../cli-command.ts';
import type { DeclaredCommand } from '../cli-context.ts';

interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly {
    readonly names: readonly string[];
    readonly description: string;
    readonly choices: readonly string[];
    readonly takesValue: boolean;
  }[];
  /** What its first argument may be; `null` where that is open. */
  readonly first: ArgumentWords | null;
  /** What its second argument may be where the first is one of `after`; `null` where that is open. */
  readonly second: SecondArgument | null;
}

/** Words that are known, or a line for a shell that prints them. */
type ArgumentWords = { readonly words: readonly string[] } | { readonly print: string };
type SecondArgument = { readonly after: readonly string[] } & ArgumentWords;

/** Whose options may stand where no command does. */
const DEFAULT_COMMAND = 'run';

/** Completions for bash; file names where nothing else fits. */
function toBashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map((command) => command.name).join(' ');
  const cases = commands.map(({ name, options, first }) => {
    const words = [...options.flatMap((option) => option.names), ...(first !== null && 'words' in first ? first.words : [])].join(' ');
    const printed = first !== null && 'print' in first ? `; case "$current" in -*) ;; *) words="$words $(${first.print})" ;; esac` : '';
    return `    ${name}) words=${quote(words)}${printed} ;;`;
  });
  return [
    '# bash completion for ralph',
    '_ralph() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words`,
    // bash takes `--format=json` for three words.
    `  if [ "$current" = '=' ]; then current=''; elif [ "$before" = '=' ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W ${quote(`${names} --help --version`)} -- "$current"))`,
    '    return',
    '  fi',
    `  case "$command" in -*) command=${DEFAULT_COMMAND} ;; esac`,
    '  case "$command $before" in',
    ...listBashChoices(commands),
    ...commands.flatMap(listBashSecond),
    '  esac',
    '  case "$command" in',
    ...cases,
    `    *) words='' ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -o bashdefault -F _ralph ralph',
    '',
  ].join('\n');
}

function listBashChoices(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ names, choices }) => {
        const patterns = names.map((flag) => quote(`${name} ${flag}`)).join(' | ');
        return `    ${patterns}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current")); return ;;`;
      }),
  );
}

function listBashSecond({ name, second }: CompletedCommand): readonly string[] {
  if (second === null) return [];
  const words = 'words' in second ? quote(second.words.join(' ')) : `"$(${second.print})"`;
  const patterns = second.after.map((word) => quote(`${name} ${word}`)).join(' | ');
  return [`    ${patterns}) COMPREPLY=($(compgen -W ${words} -- "$current")); return ;;`];
}

/** Completions for zsh; to be sourced after `compinit`. */
function toZshScript(commands: readonly CompletedCommand[]): string {
  const list = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}`);
  const cases = commands.map(({ name, options, first, second }) => {
    const specs = options.flatMap((option) =>
      option.names.map((flag) => quote(`${flag}[${toZshText(option.description)}]${toZshValue(option)}`)),
    );
    const begin = first === null ? `'*:file:_files'` : quote(`1:value:(${toWords(first)})`);
    const others = second === null ? [] : [quote(`2:value:(${toWords(second)})`)];
    return `    ${name}) _arguments ${[...specs, begin, ...others].join(' ')} ;;`;
  });
  return [
    '#compdef ralph',
    '_ralph() {',
    '  local -a commands',
    '  commands=(',
    ...list,
    '  )',
    '  if (( CURRENT == 2 )) && [[ "$PREFIX" != -* ]]; then',
    `    _describe 'command' commands`,
    '    return',
    '  fi',
    `  local command="\${words[2]}"`,
    `  if [[ "$command" == -* ]]; then command=${DEFAULT_COMMAND}; else shift words; (( CURRENT-- )); fi`,
    '  case "$command" in',
    ...cases,
    '  esac',
    '}',
    'compdef _ralph ralph',
    '',
  ].join('\n');
}

/** Within quotes, for shells that look for commands in such a list. */
function toWords(words: ArgumentWords, open = '$('): string {
  return 'words' in words ? words.words.join(' ') : `${open}${words.print})`;
}

function toFishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map((command) => command.name).join(' ');
  const isFree = `-n ${quote(`not __fish_seen_subcommand_from ${names}`)}`;
  const lines = commands.flatMap(({ name, summary, options, first, second }) => {
    const condition = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    const places = name === DEFAULT_COMMAND ? [condition, isFree] : [condition];
    return [
      `complete -c ralph -f ${isFree} -a ${name} -d ${quoteFish(summary)}`,
      ...places.flatMap((place) =>
        options.map((option) => `complete -c ralph ${place} ${toFishFlags(option)} -d ${quoteFish(option.description)}`),
      ),
      ...(first === null ? [] : [toFishFirst(name, first, second)]),
      ...(second === null ? [] : [toFishSecond(name, second)]),
    ];
  });
  return ['# fish completion for ralph', ...lines, ''].join('\n');
}

/** In their own order: the newest run comes first. */
function toFishFirst(name: string, first: ArgumentWords, second: SecondArgument | null): string {
  const isOpen = second === null ? '' : `; and not __fish_seen_subcommand_from ${second.after.join(' ')}`;
  return `complete -c ralph -f -k -n ${quote(`__fish_seen_subcommand_from ${name}${isOpen}`)} -a ${quoteFish(toWords(first, '('))}`;
}

function toFishSecond(name: string, second: SecondArgument): string {
  const condition = quote(`__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${second.after.join(' ')}`);
  return `complete -c ralph -f -k -n ${condition} -a ${quoteFish(toWords(second, '('))}`;
}

type CompletedOption = CompletedCommand['options'][number];

function toFishFlags({ names, choices, takesValue }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
  if (choices.length > 0) return `${flags} -x -a ${quote(choices.join(' '))}`;
  return takesValue ? `${flags} -r` : flags;
}

function toZshValue({ choices, takesValue }: CompletedOption): string {
  if (choices.length > 0) return `:value:(${choices.join(' ')})`;
  return takesValue ? ':value:_files' : '';
}

function toZshText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For fish, where a backslash quotes within quotes. */
function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const SCRIPTS = { bash: toBashScript, zsh: toZshScript, fish: toFishScript } as const;

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
  hooks: ['test'],
  panel: ['show'],
  presets: ['show'],
  queue: ['list', 'add', 'run', 'digest', 'remove', 'clear'],
  worktrees: ['list', 'diff', 'merge', 'remove'],
};

/**
 * A line of a POSIX shell (and of fish) that prints the names that a command lists, one a line: the first of what is in each of its records. Shells expand what is
 * in a list once more: what has more in it than a name may have is no name.
 */
function printNames(command: string): ArgumentWords {
  return { print: `ralph ${command} --format json 2>/dev/null | cut -d '"' -f 6 | grep -xE '[A-Za-z0-9_-]+'` };
}

/** What may follow the first word of such a command. */
const SECOND_WORDS: Readonly<Record<string, () => CompletedCommand['second']>> = {
  hats: () => ({ after: ['show'], ...printNames('hats') }),
  hooks: () => ({ after: ['test'], words: HOOK_EVENTS }),
  panel: () => ({ after: ['show'], ...printNames('runs') }),
  presets: () => ({ after: ['show'], words: listPresets().map(({ name }) => name) }),
  worktrees: () => ({ after: ['diff', 'merge', 'remove'], ...printNames('worktrees') }),
};

function toCompleted({ name, summary, command }: DeclaredCommand): CompletedCommand {
  return { name, summary, options: listOptions(command), first: findFirst(name, command), second: SECOND_WORDS[name]?.() ?? null };
}

function findFirst(name: string, command: Command): ArgumentWords | null {
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
