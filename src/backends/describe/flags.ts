/** True if one of the names stands among the arguments: `--model x`, `--model=x`. */
export function hasFlag(args: readonly string[], ...names: readonly string[]): boolean {
  return args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)));
}

/** The value of the last of these flags among the arguments; `undefined` where there is none. */
export function findFlagValue(args: readonly string[], ...names: readonly string[]): string | undefined {
  let value: string | undefined;
  args.forEach((arg, index) => {
    const name = names.find((candidate) => arg === candidate || arg.startsWith(`${candidate}=`));
    if (name !== undefined) value = arg === name ? args[index + 1] : arg.slice(name.length + 1);
  });
  return value;
}

/** The arguments without flags that take no value: they are put where they are needed. */
export function withoutSwitch(args: readonly string[], ...names: readonly string[]): readonly string[] {
  return args.filter((arg) => !names.includes(arg));
}

/** One flag that we would add: its names (the one we write first) and its value, if it takes one. */
export interface WantedFlag {
  readonly names: readonly [string, ...string[]];
  readonly value?: string;
}

/** A flag for {@link addFlags}; left out when `value` is given and `undefined`. */
export function flag(names: WantedFlag['names'], ...values: readonly (string | undefined)[]): readonly WantedFlag[] {
  if (values.length === 0) return [{ names }];
  const value = values[0];
  return value === undefined || value === '' ? [] : [{ names, value }];
}

/** The wanted flags, without those that the user's own arguments already hold: theirs win. */
export function addFlags(userArgs: readonly string[], ...wanted: readonly (readonly WantedFlag[])[]): readonly string[] {
  return wanted.flat().flatMap(({ names, value }) => {
    if (hasFlag(userArgs, ...names)) return [];
    return value === undefined ? [names[0]] : [names[0], value];
  });
}

interface DroppedFlag {
  readonly names: readonly string[];
  /** `list`: every word up to the next one that begins with `-`. */
  readonly takes: 'nothing' | 'one' | 'list';
  /** Only where the value looks like this. */
  readonly where?: RegExp;
}

export function bare(...names: readonly string[]): DroppedFlag {
  return { names, takes: 'nothing' };
}

export function valued(...names: readonly string[]): DroppedFlag {
  return { names, takes: 'one' };
}

export function listed(...names: readonly string[]): DroppedFlag {
  return { names, takes: 'list' };
}

/** The arguments without these flags and their values, as two words and joined by `=`. */
export function withoutFlags(args: readonly string[], dropped: readonly DroppedFlag[]): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index < args.length; ) {
    const words = args.slice(index);
    const length = Math.max(0, ...dropped.map((flag) => matchLength(flag, words)));
    if (length === 0) kept.push(args[index] as string);
    index += Math.max(1, length);
  }
  return kept;
}

/** How many words at the beginning are this flag; 0 for none. */
function matchLength({ names, takes, where }: DroppedFlag, words: readonly string[]): number {
  const [first = '', second = ''] = words;
  const joined = names.find((name) => first.startsWith(`${name}=`));
  const isHere = names.includes(first);
  if (joined === undefined && !isHere) return 0;
  const value = joined === undefined ? second : first.slice(joined.length + 1);
  if (where !== undefined && !where.test(value)) return 0;
  if (takes === 'nothing') return 1;
  const own = joined === undefined ? 1 : 0;
  if (takes === 'one') return Math.min(words.length, 1 + own);
  const rest = words.slice(1);
  const end = rest.findIndex((word) => word.startsWith('-'));
  return 1 + (end === -1 ? rest.length : end);
}
