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
