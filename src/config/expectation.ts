import type { NumberSetting, Setting } from './setting.ts';

/** What a kind takes, in short, and how it is written. */
const KINDS: Readonly<Record<Exclude<Setting['kind'], 'choice' | 'list'>, readonly [short: string, detail: string]>> = {
  text: ['text', ''],
  line: ['text on one line', ''],
  word: ['text on one line', ''],
  variable: ['text', ''],
  command: ['a command line', ''],
  file: ['the path of a file or folder', ''],
  path: ['a path inside the workspace', ', such as `.agent/notes.md`; not the workspace itself, nothing above it, not `.git`'],
  topic: ['a topic', ': words of letters, digits, `_` and `-` with dots between them, such as `build.done`'],
  pattern: ['a topic or a pattern', ', such as `build.done`, or `build.*` in which `*` is a whole segment'],
  promise: ['one word', ' without white space, such as `LOOP_COMPLETE`'],
  flag: ['`true` or `false`', ''],
  integer: ['a whole number', ''],
  number: ['a number', ''],
  duration: ['a duration', ': seconds, or text such as `90s`, `10m`, `1h30m`, `500ms`'],
  money: ['an amount of US dollars', ', such as `5`, `0.50`, `$5`'],
  backend: ['a backend', ': a name, `{type, model, args}`, `{command, args}`, or a list of these'],
  publish: ['a topic, a pattern, or `{topic, target}`', ''],
  map: ['a map', ' of names with values (`name: value`)'],
  object: ['a map', ' of keys with values (`key: value`)'],
  schema: ['a JSON Schema', ''],
  later: ['anything', ''],
};

/** What a setting takes, as the end of the sentence "It is not …". */
export function toShortExpectation(setting: Setting): string {
  if (setting.kind === 'choice') return 'one of the known words';
  if (setting.kind === 'list') return 'a list';
  return `${KINDS[setting.kind][0]}${isNumber(setting) ? toBounds(setting) : ''}`;
}

/** What a setting takes, as the end of the sentence "It must be …". */
export function toExpectation(setting: Setting): string {
  if (setting.kind === 'choice') return `one of ${setting.values.map((value) => `\`${value}\``).join(', ')}`;
  if (setting.kind === 'list') return `a list; each entry is ${toExpectation(setting.items)}`;
  return toShortExpectation(setting) + KINDS[setting.kind][1];
}

function isNumber(setting: Setting): setting is NumberSetting {
  return setting.kind === 'integer' || setting.kind === 'number' || setting.kind === 'duration' || setting.kind === 'money';
}

function toBounds(setting: NumberSetting): string {
  const or = setting.or === undefined ? '' : ` (or ${setting.or})`;
  if (setting.above !== undefined) return ` of more than ${setting.above}${or}`;
  return setting.min === undefined ? '' : ` of at least ${setting.min}${or}`;
}
