import type { Place } from './source-file.ts';

/** What a YAML text says, each part with its place. Aliases share the part they stand for; there are no cycles. */
export type LocatedValue = LocatedScalar | LocatedList | LocatedMap;

export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text as it was written, without quotes. */
  readonly written: string;
  /** The text with `${NAME}` in it that the value came from: what a person may be shown of it. */
  readonly reference?: string;
  readonly place: Place;
}

export interface LocatedList {
  readonly kind: 'list';
  readonly items: readonly LocatedValue[];
  readonly place: Place;
}

export interface LocatedMap {
  readonly kind: 'map';
  /** In the order of the text. */
  readonly entries: ReadonlyMap<string, LocatedEntry>;
  readonly place: Place;
}

export interface LocatedEntry {
  readonly key: Place;
  readonly value: LocatedValue;
}

/** Names of keys and numbers of list items, from the top. */
export type Path = readonly (string | number)[];

/** `hats.builder.triggers[1]`, for people. */
export function toPathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

/** True for a value that was left empty. */
export function isEmptyValue(value: LocatedValue): boolean {
  return value.kind === 'scalar' && value.value === null;
}

/**
 * The place of what a path leads to. `value`: of a scalar itself; of a list, a map and an empty value the key it belongs to.
 * Where the path leads nowhere: the nearest part of it that is there.
 */
export function findPlace(root: LocatedValue, path: Path, part: 'key' | 'value' = 'value'): Place {
  let value = root;
  let key = root.place;
  for (const step of path) {
    const next = stepInto(value, step);
    if (next === undefined) break;
    key = next.key;
    value = next.value;
  }
  return part === 'key' ? key : toShownPlace({ key, value });
}

/** What a path leads to; `undefined` where it leads nowhere. */
export function readAt(root: LocatedValue, path: Path): LocatedValue | undefined {
  let value: LocatedValue | undefined = root;
  for (const step of path) {
    if (value?.kind === 'map') value = value.entries.get(String(step))?.value;
    else if (value?.kind === 'list' && typeof step === 'number') value = value.items[step];
    else return undefined;
  }
  return value;
}

/** Where a finding about an entry is shown. */
export function toShownPlace(entry: LocatedEntry): Place {
  return entry.value.kind === 'scalar' && !isEmptyValue(entry.value) ? entry.value.place : entry.key;
}

function stepInto(value: LocatedValue, step: string | number): LocatedEntry | undefined {
  if (value.kind === 'map') return value.entries.get(String(step));
  if (value.kind !== 'list' || typeof step !== 'number') return undefined;
  const item = value.items[step];
  return item === undefined ? undefined : { key: item.place, value: item };
}
