import { isTopicPattern } from '../../core/events/topics.ts';
import type { Finding, Repair } from '../../core/schema/finding.ts';
import { findNearMiss, isOnlyNearMiss } from '../../core/text/near-miss.ts';
import { isLabel, LABEL_TEXT } from '../../core/values/label.ts';
import { endWithMeant, quote, toShort } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  findPlace,
  type LocatedMap,
  type LocatedValue,
  type Path,
  readAt,
  toDiagnostic,
  toKeyPathText,
} from '../findings/located.ts';
import { BACKEND_NAME } from './backend-keys.ts';
import type { ChoiceSetting, NumberSetting, Setting } from './setting.ts';

const CODES: Readonly<Partial<Record<Setting['kind'], string>>> = {
  topic: 'topic-invalid',
  pattern: 'topic-invalid',
  promise: 'promise-invalid',
  path: 'path-invalid',
  duration: 'duration-invalid',
  money: 'money-invalid',
  integer: 'number-invalid',
  number: 'number-invalid',
};

const WHYS: Readonly<Record<string, string>> = {
  'topic-invalid': 'Events are routed by topic; this one could match no event.',
  'promise-invalid': 'Agents write the promise on a line of its own, or as a topic; anything else would never be recognised.',
  'path-invalid': 'It is written to, and must not reach what is not its own.',
};

/** The finding for a value that a setting does not take. */
export function toValueFinding(setting: Setting, value: LocatedValue, path: Path): Finding {
  const code = value.kind === 'scalar' ? (CODES[setting.kind] ?? 'type-invalid') : 'type-invalid';
  const given = `\`${toKeyPathText(path)}\` is ${toShown(value)}`;
  const repairs = toValueRepairs(setting, value);
  return {
    code,
    severity: 'error',
    message: `${given}, which is not ${toShortExpectation(setting)}.`,
    why: WHYS[code] ?? 'A setting that cannot be read is never replaced by a guess.',
    fix: `${toHint(setting, value)}It must be ${toExpectation(setting)}.`,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

const BACKEND_FIX = `Known: ${BACKEND_NAME.values.join(', ')}. Any other program: \`{command: ./agent.sh, args: []}\`, or \`-b ./agent.sh\`.`;

/** The finding for an unknown word; it names the nearest known one. */
export function toChoiceFinding(setting: ChoiceSetting, text: string, path: Path): Finding {
  const near = text.includes('${') ? undefined : findNearWord(text, setting.values);
  const isBackend = setting === BACKEND_NAME;
  const wrong = isBackend ? `There is no backend ${quote(text)}` : `\`${toKeyPathText(path)}\` cannot be ${quote(text)}`;
  return {
    code: isBackend ? 'backend-unknown' : 'choice-unknown',
    severity: 'error',
    message: `${wrong}${endWithMeant(near)}`,
    why: isBackend ? 'Nobody could wear the hat.' : 'A setting that cannot be read is never replaced by a guess.',
    fix: isBackend ? BACKEND_FIX : `It must be ${toExpectation(setting)}.`,
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, isOnlyNearMiss(text, near, setting.values))] }),
  };
}

function findNearWord(text: string, values: readonly string[]): string | undefined {
  return findNearMiss(text, values) ?? values.find((value) => value.length > 2 && text.toLowerCase().includes(value));
}

export function toMissingFinding(setting: Setting, path: Path): Finding {
  return {
    code: 'key-missing',
    severity: 'error',
    message: `\`${toKeyPathText(path)}\` is missing.`,
    why: setting.doc,
    fix: `Add \`${String(path.at(-1))}:\`. It must be ${toExpectation(setting)}.`,
  };
}

function toHint(setting: Setting, value: LocatedValue): string {
  if (value.kind !== 'scalar' || value.reference !== undefined) return '';
  const text = value.written;
  if ((setting.kind === 'pattern' || setting.kind === 'topic') && text.includes('*')) return toStarHint(setting.kind, text);
  if (setting.kind === 'text' || setting.kind === 'line') return typeof value.value === 'string' ? '' : 'Put it in quotes. ';
  if (setting.kind === 'flag' && /^(yes|on)$/i.test(text)) return 'Write `true`. ';
  if (setting.kind === 'flag' && /^(no|off)$/i.test(text)) return 'Write `false`. ';
  return '';
}

function toStarHint(kind: string, text: string): string {
  if (kind === 'topic') return 'A pattern cannot stand here: write the topic out. ';
  return `\`*\` is a whole segment: write \`${toSegments(text).slice(0, 80)}\`. `;
}

function toShown(value: LocatedValue): string {
  if (value.kind === 'map') return 'a map';
  if (value.kind === 'list') return 'a list';
  if (value.reference !== undefined) return quote(value.reference);
  if (value.value === null) return 'empty';
  return typeof value.value === 'string' ? quote(value.value) : toShort(value.written);
}

/** How a value that its setting does not take could be written; none where the meaning cannot be known. */
function toValueRepairs(setting: Setting, value: LocatedValue): readonly Repair[] {
  if (value.kind !== 'scalar' || value.value === null || value.reference !== undefined) return [];
  const text = toMeant(setting, value.written, typeof value.value === 'string');
  return text === null ? [] : [{ title: `write \`${text}\``, isSafe: true, change: { kind: 'replace', text } }];
}

/** The repair that puts a known word in the place of an unknown one. */
export function toWordRepair(word: string, isSafe: boolean): Repair {
  return { title: `write \`${word}\``, isSafe, change: { kind: 'replace', text: word } };
}

function toMeant(setting: Setting, written: string, isText: boolean): string | null {
  if (written.length > 200) return null;
  if (setting.kind === 'flag') return /^(yes|on|true)$/i.test(written) ? 'true' : /^(no|off|false)$/i.test(written) ? 'false' : null;
  if (setting.kind === 'text' || setting.kind === 'line') return isText ? null : written;
  if (setting.kind === 'label') return isText && isLabel(written.toLowerCase()) ? written.toLowerCase() : null;
  if (setting.kind !== 'pattern' || !written.includes('*')) return null;
  const pattern = toSegments(written);
  return isTopicPattern(pattern) ? pattern : null;
}

/** `build*` -> `build.*`: a star is a segment of its own. */
export function toSegments(pattern: string): string {
  return pattern
    .replace(/([^.*])\*/g, '$1.*')
    .replace(/\*+([^.*])/g, '*.$1')
    .replace(/\*{2,}/g, '*');
}

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
  label: ['a label', `: ${LABEL_TEXT}`],
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
  hooks: ['hooks by event', ', such as `{PreToolUse: [{matcher: "Write|Edit", handler: ./check.sh}]}`'],
  later: ['anything', ''],
};

/** What a setting takes, as the end of the sentence "It is not …". */
function toShortExpectation(setting: Setting): string {
  if (setting.kind === 'choice') return 'one of the known words';
  if (setting.kind === 'list') return 'a list';
  if (setting.kind === 'backend' && setting.isAlone === true) return 'one backend';
  return `${KINDS[setting.kind][0]}${isNumber(setting) ? toBounds(setting) : ''}`;
}

/** What a setting takes, as the end of the sentence "It must be …". */
export function toExpectation(setting: Setting): string {
  if (setting.kind === 'choice') return `one of ${setting.values.map((value) => `\`${value}\``).join(', ')}`;
  if (setting.kind === 'list') return `a list; each entry is ${toExpectation(setting.items)}`;
  if (setting.kind === 'backend' && setting.isAlone === true) return 'one backend: a name, `{type, model, args}` or `{command, args}`';
  return toShortExpectation(setting) + KINDS[setting.kind][1];
}

function isNumber(setting: Setting): setting is NumberSetting {
  return setting.kind === 'integer' || setting.kind === 'number' || setting.kind === 'duration' || setting.kind === 'money';
}

function toBounds(setting: NumberSetting): string {
  const or = setting.or === undefined ? '' : ` (or ${setting.or})`;
  const most = setting.max === undefined ? '' : ` and at most ${setting.max}`;
  if (setting.above !== undefined) return ` of more than ${setting.above}${most}${or}`;
  return setting.min === undefined ? `${most.replace(' and', ' of')}${or}` : ` of at least ${setting.min}${most}${or}`;
}

/** Puts a finding at a path; for a map, a list and an empty value at its key. It shows no value of a variable. */
export function placeFinding(root: LocatedMap, path: Path, finding: Finding, part: 'key' | 'value' = 'value'): Diagnostic {
  return toDiagnostic(findPlace(root, path, part), showReference(finding, readAt(root, path)));
}

/** The finding about a value that came from a variable, with the reference (`${NAME}`) in place of the value: that may be a secret, and findings are passed on. */
export function showReference(finding: Finding, value: LocatedValue | undefined): Finding {
  if (value?.kind !== 'scalar' || value.reference === undefined) return finding;
  const { reference } = value;
  const words = String(value.value);
  const replace = (text: string): string =>
    ['"', '`'].reduce((shown, mark) => shown.replaceAll(quote(words, mark), () => quote(reference, mark)), text);
  const { repairs: _, ...rest } = finding;
  return { ...rest, message: replace(finding.message), why: replace(finding.why), fix: replace(finding.fix) };
}
