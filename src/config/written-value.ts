import type { Json } from '../core/index.ts';
import { isEmptyValue, type LocatedMap, type LocatedScalar, type LocatedValue } from './located-value.ts';
import type { Keys, Setting } from './setting.ts';

/** A value as it could be written in a file again: a word that YAML would take for a number stays a word. */
export function toWrittenValue(setting: Setting, value: LocatedValue): Json {
  if (isEmptyValue(value)) return null;
  switch (setting.kind) {
    case 'object':
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value) : toPlain(value);
    case 'map':
      return value.kind === 'map' ? toRecord(value, () => setting.values) : toPlain(value);
    case 'list':
      return value.kind === 'list'
        ? value.items.map((item) => toWrittenValue(setting.items, item))
        : [toWrittenValue(setting.items, value)];
    case 'backend':
      if (value.kind === 'list') return value.items.map((item) => toWrittenValue(setting, item));
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value) : toPlain(value);
    case 'publish':
      return value.kind === 'map' ? toWrittenKeys(setting.keys, value) : toPlain(value);
    default:
      return value.kind === 'scalar' ? toWrittenScalar(setting, value) : toPlain(value);
  }
}

/** Keys that are known; the others have no meaning. */
function toWrittenKeys(keys: Keys, map: LocatedMap): Json {
  return toRecord(map, (name) => (Object.hasOwn(keys, name) ? keys[name] : undefined));
}

function toRecord(map: LocatedMap, settingOf: (name: string) => Setting | undefined): Json {
  return Object.fromEntries(
    [...map.entries].flatMap(([name, { value }]): [string, Json][] => {
      const setting = settingOf(name);
      return setting === undefined || setting.kind === 'later' ? [] : [[name, toWrittenValue(setting, value)]];
    }),
  );
}

function toWrittenScalar(setting: Setting, { value, written }: LocatedScalar): Json {
  const isWord = setting.kind === 'word' || setting.kind === 'variable';
  return isWord && value !== null && typeof value !== 'string' ? written : value;
}

function toPlain(value: LocatedValue): Json {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'list') return value.items.map(toPlain);
  return Object.fromEntries([...value.entries].map(([name, entry]) => [name, toPlain(entry.value)]));
}
