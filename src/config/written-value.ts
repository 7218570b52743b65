import type { Json } from '../core/index.ts';
import { isEmptyValue, type LocatedMap, type LocatedScalar, type LocatedValue } from './located-value.ts';
import type { Keys, LeafSetting, Setting } from './setting.ts';

/** What stands in the place of a secret. */
export const HIDDEN = '***';

/** For people, or as the text of a file, where `$` is doubled so that it begins no reference. */
export type WrittenForm = 'shown' | 'file';

/**
 * A value as it could be written in a file again: a word that YAML would take for a number stays a word, and what came from a variable is the
 * reference. Variables of an agent are hidden, but for those that are a reference.
 */
export function toWrittenValue(setting: Setting, value: LocatedValue, form: WrittenForm): Json {
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
    case 'later':
      return toPlain(value, inner);
    default:
      return value.kind === 'scalar' ? toWrittenScalar(setting, value, inner) : toPlain(value, inner);
  }
}

/** The value of a variable of an agent, which may be a secret: only a reference, which holds nothing of it, is shown. */
export function toHiddenValue(value: LocatedValue): Json {
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

/** Keys that are known; the others have no meaning. */
function toWrittenKeys(keys: Keys, map: LocatedMap, form: WrittenForm): Json {
  return toRecord(map, form, (name) => (Object.hasOwn(keys, name) ? keys[name] : undefined));
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
