/** A command as the shells need to know it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly {
    readonly names: readonly string[];
    readonly description: string;
    readonly choices: readonly string[];
    readonly takesValue: boolean;
  }[];
  /** What its first argument may be; empty where that is open. */
  readonly values: readonly string[];
}

/** Completions for bash; file names where nothing else fits. */
export function toBashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map((command) => command.name).join(' ');
  const cases = commands.map(({ name, options, values }) => {
    const words = [...options.flatMap((option) => option.names), ...values].join(' ');
    return `    ${name}) words=${quote(words)} ;;`;
  });
  const choices = listChoices(commands).map(
    ([flag, values]) => `    ${flag}) COMPREPLY=($(compgen -W ${quote(values.join(' '))} -- "$current")); return ;;`,
  );
  return [
    '# bash completion for ralph',
    '_ralph() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W ${quote(`${names} --help --version`)} -- "$current"))`,
    '    return',
    '  fi',
    '  case "$before" in',
    ...choices,
    '  esac',
    `  case "\${COMP_WORDS[1]}" in`,
    ...cases,
    `    *) words='' ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -o bashdefault -F _ralph ralph',
    '',
  ].join('\n');
}

/** Completions for zsh; to be sourced after `compinit`. */
export function toZshScript(commands: readonly CompletedCommand[]): string {
  const list = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}`);
  const cases = commands.map(({ name, options, values }) => {
    const specs = options.flatMap((option) =>
      option.names.map((flag) => quote(`${flag}[${toZshText(option.description)}]${toZshValue(option)}`)),
    );
    const first = values.length === 0 ? `'*:file:_files'` : quote(`1:value:(${values.join(' ')})`);
    return `    ${name}) _arguments ${[...specs, first].join(' ')} ;;`;
  });
  return [
    '#compdef ralph',
    '_ralph() {',
    '  local -a commands',
    '  commands=(',
    ...list,
    '  )',
    '  if (( CURRENT == 2 )); then',
    `    _describe 'command' commands`,
    '    return',
    '  fi',
    `  local command="\${words[2]}"`,
    '  shift words',
    '  (( CURRENT-- ))',
    '  case "$command" in',
    ...cases,
    '  esac',
    '}',
    'compdef _ralph ralph',
    '',
  ].join('\n');
}

/** Completions for fish. */
export function toFishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map((command) => command.name).join(' ');
  const lines = commands.flatMap(({ name, summary, options, values }) => {
    const condition = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c ralph -f -n ${quote(`not __fish_seen_subcommand_from ${names}`)} -a ${name} -d ${quoteFish(summary)}`,
      ...options.map((option) => `complete -c ralph ${condition} ${toFishFlags(option)} -d ${quoteFish(option.description)}`),
      ...(values.length === 0 ? [] : [`complete -c ralph -f ${condition} -a ${quote(values.join(' '))}`]),
    ];
  });
  return ['# fish completion for ralph', ...lines, ''].join('\n');
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

/** Options with a list of values, by flag; one flag has the values of all commands. */
function listChoices(commands: readonly CompletedCommand[]): readonly (readonly [string, readonly string[]])[] {
  const choices = new Map<string, Set<string>>();
  for (const option of commands.flatMap((command) => command.options).filter((entry) => entry.choices.length > 0)) {
    for (const name of option.names) choices.set(name, new Set([...(choices.get(name) ?? []), ...option.choices]));
  }
  return [...choices].map(([name, values]) => [name, [...values]]);
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For fish, where a backslash quotes within quotes. */
function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
