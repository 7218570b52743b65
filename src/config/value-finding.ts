import { type Finding, findNearMiss, isOnlyNearMiss } from '../core/index.ts';
import { BACKEND_NAME } from './backend-keys.ts';
import { toExpectation, toShortExpectation } from './expectation.ts';
import { type LocatedValue, type Path, toPathText } from './located-value.ts';
import type { ChoiceSetting, Setting } from './setting.ts';
import { toSegments, toValueRepairs, toWordRepair } from './value-repair.ts';

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
  const given = `\`${toPathText(path)}\` is ${toShown(value)}`;
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

/** The finding for a word that is none of the known ones: names the nearest. */
export function toChoiceFinding(setting: ChoiceSetting, text: string, path: Path): Finding {
  const near = text.includes('${') ? undefined : findNearWord(text, setting.values);
  const isBackend = setting === BACKEND_NAME;
  const wrong = isBackend ? `There is no backend ${quote(text)}` : `\`${toPathText(path)}\` cannot be ${quote(text)}`;
  return {
    code: isBackend ? 'backend-unknown' : 'choice-unknown',
    severity: 'error',
    message: `${wrong}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    why: isBackend ? 'Nobody could wear the hat.' : 'A setting that cannot be read is never replaced by a guess.',
    fix: isBackend ? BACKEND_FIX : `It must be ${toExpectation(setting)}.`,
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, isOnlyNearMiss(text, near, setting.values))] }),
  };
}

function findNearWord(text: string, values: readonly string[]): string | undefined {
  return findNearMiss(text, values) ?? values.find((value) => value.length > 2 && text.toLowerCase().includes(value));
}

/** The finding for a key that must be there. */
export function toMissingFinding(setting: Setting, path: Path): Finding {
  return {
    code: 'key-missing',
    severity: 'error',
    message: `\`${toPathText(path)}\` is missing.`,
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

/** Text of the user in a sentence: short, on one line, in quotes. */
export function quote(text: string, mark = '"'): string {
  return `${mark}${toShort(text)}${mark}`;
}

function toShort(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text).slice(1, -1);
}
