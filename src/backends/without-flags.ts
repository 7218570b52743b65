/** A flag that is taken out of a user's arguments. */
export interface DroppedFlag {
  readonly names: readonly string[];
  /** `list`: every word up to the next one that begins with `-`. */
  readonly takes: 'nothing' | 'one' | 'list';
  /** Only where the value looks like this. */
  readonly where?: RegExp;
}

/** A flag that takes no value. */
export function bare(...names: readonly string[]): DroppedFlag {
  return { names, takes: 'nothing' };
}

/** A flag with one value. */
export function valued(...names: readonly string[]): DroppedFlag {
  return { names, takes: 'one' };
}

/** A flag with any number of values. */
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
