import { resolve } from 'node:path';
import { type Json, readOwn } from '../../core/values/json.ts';
import {
  isEmptyValue,
  isPseudoFile,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  type LocatedValue,
  type Path,
  type Span,
  toShownPlace,
  toSpan,
} from '../findings/located.ts';
import type { Keys, LeafSetting, Setting } from '../keys/setting.ts';
import { TOP_KEYS } from '../keys/settings-table.ts';
import { toShownPath } from '../layers/read-text-file.ts';

export interface EffectiveValue {
  readonly path: Path;
  /** As people see it: a value from a variable is shown as its reference, `${NAME}`. */
  readonly value: Json;
  /** As a configuration file holds it: `$` is doubled where it would begin a reference. */
  readonly written: Json;
  readonly origin: Origin;
}

/**
 * Where a setting came from: the table of defaults, a place in a file (also an imported one), a variable of the environment, `-c key.path=value`,
 * a flag. `name` is the variable, the assignment as it was typed, or the flag.
 */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly span: Span }
  | { readonly from: 'variable' | 'assignment' | 'flag'; readonly name: string };

/** `ralph.yml:4:19`, `RALPH_CONFIG_MODEL`, `-c cli.model=opus`, `--model`, `default`. */
export function toOriginText(origin: Origin): string {
  if (origin.from === 'default') return 'default';
  return origin.from === 'file' ? `${origin.span.file}:${origin.span.line}:${origin.span.column}` : origin.name;
}

/**
 * Every setting of a merged configuration that is in force, in the order of the settings table, with the defaults. What came from a
 * variable is shown as the reference; other values of variables of agents are hidden. Files of instructions are named relative to the folder of the run.
 *
 * @param cwd absolute
 */
export function listEffective(root: LocatedMap, cwd: string): readonly EffectiveValue[] {
  const lister = new EffectiveLister(cwd);
  lister.addKeys(TOP_KEYS, root, []);
  return lister.values;
}

/** Keys whose files are relative to the file that names them. */
const FILES: readonly unknown[] = ['instructions_file', 'schema_file'];

class EffectiveLister {
  readonly values: EffectiveValue[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  addKeys(keys: Keys, map: LocatedMap | null, path: Path): void {
    for (const [name, setting] of Object.entries(keys)) {
      const entry = map?.entries.get(name);
      if (setting.kind === 'later') continue;
      if (entry !== undefined && !isEmptyValue(entry.value)) this.#add(setting, entry, [...path, name]);
      else if (setting.kind === 'object' && path.length < 2) this.addKeys(setting.keys, null, [...path, name]);
      else if (setting.default !== undefined) this.#push([...path, name], setting.default as Json, { from: 'default' });
    }
  }

  #add(setting: Setting, entry: LocatedEntry, path: Path): void {
    const { value } = entry;
    if (setting.kind === 'object' && value.kind === 'map') this.addKeys(setting.keys, value, path);
    else if (setting.kind === 'map' && value.kind === 'map' && value.entries.size > 0) this.#addNames(setting, value, path);
    else if (setting.kind === 'list' && setting.items.kind === 'object' && hasItems(value))
      this.#addItems(setting.items, value.kind === 'list' ? value.items : [value], path);
    else this.#push(path, this.#toValue(setting, value, path, 'shown'), toOrigin(entry), this.#toValue(setting, value, path, 'file'));
  }

  #addNames(setting: Setting & { readonly kind: 'map' }, map: LocatedMap, path: Path): void {
    for (const [name, entry] of map.entries) {
      if (setting.variables === true) this.#push([...path, name], toHiddenValue(entry.value), toOrigin(entry));
      else if (isEmptyValue(entry.value) && setting.values.kind === 'object') this.addKeys(setting.values.keys, null, [...path, name]);
      else this.#add(setting.values, entry, [...path, name]);
    }
  }

  #addItems(setting: Setting, items: readonly LocatedValue[], path: Path): void {
    for (const [index, item] of items.entries()) this.#add(setting, { key: item.place, value: item }, [...path, index]);
  }

  #push(path: Path, value: Json, origin: Origin, written = value): void {
    this.values.push({ path, value, written, origin });
  }

  #toValue(setting: Setting, value: LocatedValue, path: Path, form: WrittenForm): Json {
    const isFile = FILES.includes(path.at(-1)) && value.kind === 'scalar' && typeof value.value === 'string';
    // A reference is relative to its file: from another folder only the path that it leads to means the same.
    if (!isFile || (value.reference !== undefined && value.place.file.folder === this.#cwd)) return toWrittenValue(setting, value, form);
    const shown = toShownPath(this.#cwd, resolve(value.place.file.folder, String(value.value)));
    return form === 'file' ? escapeReferences(shown) : shown;
  }
}

/** A single value stands for a list of one. */
function hasItems(value: LocatedValue): boolean {
  return value.kind !== 'list' || value.items.length > 0;
}

function toOrigin(entry: LocatedEntry): Origin {
  const place = toShownPlace(entry);
  if (isPseudoFile(place.file)) return { from: place.file.origin, name: place.file.name };
  const { file, line, column, endLine, endColumn } = toSpan(place);
  return { from: 'file', span: { file, line, column, endLine, endColumn } };
}

/** Shown in place of a secret. */
export const HIDDEN = '***';

/** For people, or as the text of a file, where `$` is doubled so that it begins no reference. */
type WrittenForm = 'shown' | 'file';

/**
 * A value as it could be written in a file again: a word that YAML would take for a number stays a word, and what came from a variable is the
 * reference. Variables of an agent are hidden, but for those that are a reference.
 */
function toWrittenValue(setting: Setting, value: LocatedValue, form: WrittenForm): Json {
  if (isEmptyValue(value)) return null;
  const inner = setting.verbatim === true || setting.kind === 'command' ? 'shown' : form;
  switch (setting.kind) {
    case 'object':
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value, inner) : toPlain(value, inner);
    case 'map':
      if (value.kind !== 'map') return toPlain(value, inner);
      if (setting.variables === true) return toHidden(value);
      return toRecord(value, inner, () => setting.values);
    case 'list':
      return (value.kind === 'list' ? value.items : [value]).map((item) => toWrittenValue(setting.items, item, inner));
    case 'backend':
      if (value.kind === 'list') return value.items.map((item) => toWrittenValue(setting, item, inner));
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value, inner) : toWrittenScalar(setting.name, value, inner);
    case 'publish':
      if (value.kind === 'scalar') return toWrittenScalar(setting.topic, value, inner);
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value, inner) : toPlain(value, inner);
    case 'schema':
    case 'hooks':
    case 'later':
      return toPlain(value, inner);
    default:
      return value.kind === 'scalar' ? toWrittenScalar(setting, value, inner) : toPlain(value, inner);
  }
}

/** A variable of an agent as it is shown: the value may be a secret, a reference to another variable is not. */
function toHiddenValue(value: LocatedValue): Json {
  const reference = value.kind === 'scalar' ? value.reference : undefined;
  return reference !== undefined && /^\$\{[^}]*\}$/.test(reference) ? reference : HIDDEN;
}

/** The same text, list or map, in which no `$` begins a reference. */
export function escapeReferences(value: Json): Json {
  if (typeof value === 'string') return value.replace(/\$(?=[${])/g, '$$$$');
  if (Array.isArray(value)) return value.map(escapeReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, escapeReferences(part)]));
}

function toHidden(map: LocatedMap): Json {
  return Object.fromEntries([...map.entries].map(([name, { value }]) => [name, toHiddenValue(value)]));
}

/** The keys that are known; others have no meaning. */
function toWrittenKeys(keys: Keys, map: LocatedMap, form: WrittenForm): Json {
  return toRecord(map, form, (name) => readOwn(keys, name));
}

function toRecord(map: LocatedMap, form: WrittenForm, settingOf: (name: string) => Setting | undefined): Json {
  return Object.fromEntries(
    [...map.entries].flatMap(([name, { value }]): [string, Json][] => {
      const setting = settingOf(name);
      return setting === undefined || setting.kind === 'later' ? [] : [[name, toWrittenValue(setting, value, form)]];
    }),
  );
}

function toWrittenScalar(setting: LeafSetting, { value, written, reference }: LocatedScalar, form: WrittenForm): Json {
  if (reference !== undefined) return reference;
  const isWord = setting.kind === 'word' || setting.kind === 'variable';
  const plain = isWord && value !== null && typeof value !== 'string' ? written : value;
  return form === 'file' ? escapeReferences(plain) : plain;
}

function toPlain(value: LocatedValue, form: WrittenForm): Json {
  if (value.kind === 'scalar') return form === 'file' ? escapeReferences(value.value) : value.value;
  if (value.kind === 'list') return value.items.map((item) => toPlain(item, form));
  return Object.fromEntries([...value.entries].map(([name, entry]) => [name, toPlain(entry.value, form)]));
}
