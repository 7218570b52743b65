import { isTopic, isTopicPattern } from '../../core/events/topics.ts';
import { isLabel } from '../../core/values/label.ts';
import type { EffectiveOf, Keys, LeafSetting, NumberSetting, Setting, TextSetting, ValuesOf } from './setting.ts';

/** Longer waits than this, in seconds, overflow the timers of the platform: about 24 days. */
export const MAX_SECONDS = 2_147_483;

/** The longest completion promise, in characters. */
export const MAX_PROMISE_LENGTH = 200;

type Scalar = string | number | boolean;

/** True for a scalar that a setting takes, as it is written. It converts nothing. */
export function acceptsLeaf(setting: LeafSetting, value: Scalar): boolean {
  switch (setting.kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && setting.values.includes(value);
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return acceptsNumber(setting, value);
    case 'word':
    case 'variable':
      return typeof value === 'string' ? acceptsText(setting.kind, value) : isFiniteScalar(value);
    default:
      return typeof value === 'string' && acceptsText(setting.kind, value);
  }
}

function isFiniteScalar(value: number | boolean): boolean {
  return typeof value === 'boolean' || Number.isFinite(value);
}

function acceptsText(kind: TextSetting['kind'], value: string): boolean {
  if (value.includes('\0')) return false;
  switch (kind) {
    case 'text':
    case 'variable':
      return true;
    case 'word':
    case 'line':
    case 'file':
      return isLine(value);
    case 'command':
      return value.trim() !== '';
    case 'topic':
      return isTopic(value);
    case 'pattern':
      return isTopicPattern(value);
    case 'label':
      return isLabel(value);
    case 'promise':
      return /^\S+$/.test(value) && value.length <= MAX_PROMISE_LENGTH;
    case 'path':
      return isInsidePath(value);
  }
}

function acceptsNumber(setting: NumberSetting, value: Scalar): boolean {
  if (typeof value === 'boolean') return false;
  if (typeof value === 'number') return value === setting.or || isInBounds(setting, value);
  const given = parseNumber(setting.kind, value);
  return given !== null && (given === setting.or || isInBounds(setting, setting.kind === 'duration' ? given / 1000 : given));
}

function isInBounds({ kind, min, max, above }: NumberSetting, value: number): boolean {
  if (kind === 'integer' ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false;
  if (min !== undefined && value < min) return false;
  if (max !== undefined && value > max) return false;
  if (above !== undefined && value <= above) return false;
  return kind !== 'duration' || value <= MAX_SECONDS;
}

function isLine(value: string): boolean {
  return value.trim() !== '' && !/[\r\n]/.test(value);
}

/** A relative path that stays below the workspace and is not the workspace itself. */
function isInsidePath(value: string): boolean {
  if (!isLine(value) || /^[/~\\]|^[A-Za-z]:/.test(value)) return false;
  const parts = value.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  return parts.length > 0 && !parts.includes('..') && parts[0] !== '.git';
}

/** The checked value of a scalar that its setting accepts: durations in milliseconds, amounts in US dollars. */
export function toLeafValue(setting: LeafSetting, value: string | number | boolean): unknown {
  switch (setting.kind) {
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return parseNumber(setting.kind, typeof value === 'boolean' ? Number.NaN : value);
    case 'command':
      return String(value).trim();
    case 'flag':
    case 'choice':
    case 'text':
    case 'line':
    case 'word':
    case 'topic':
    case 'pattern':
    case 'promise':
    case 'path':
    case 'file':
    case 'variable':
    case 'label':
      return value;
  }
}

/** What was declared, with the defaults of the table for what was not. */
export function toEffective<K extends Keys>(keys: K, declared: ValuesOf<K> | undefined): EffectiveOf<K> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(keys)) {
    const given = declared === undefined ? undefined : (declared as Readonly<Record<string, unknown>>)[name];
    const value = given ?? toDefault(setting);
    if (value !== undefined) values[name] = value;
  }
  return values as EffectiveOf<K>;
}

/** The default in the unit of the checked value: the table has it as it would be written. */
function toDefault(setting: Setting): unknown {
  if (setting.default === undefined || setting.kind === 'list' || setting.kind === 'map') return setting.default;
  if (setting.kind === 'object' || setting.kind === 'backend' || setting.kind === 'publish') return undefined;
  if (setting.kind === 'schema' || setting.kind === 'hooks' || setting.kind === 'later') return undefined;
  return toLeafValue(setting, setting.default as string | number | boolean);
}

/** A record for names that the user chose. It inherits none: a hat may be called `__proto__` or `toString`. */
export function createRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** The same with entries. */
export function toRecord<Value>(entries: Iterable<readonly [name: string, value: Value]>): Readonly<Record<string, Value>> {
  const record = createRecord<Value>();
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** The number that is written: for a duration milliseconds; `null` for anything that is no number of that kind. */
function parseNumber(kind: NumberSetting['kind'], value: string | number): number | null {
  if (kind === 'duration') return parseDurationMs(value);
  if (kind === 'money') return parseMoneyUsd(value);
  if (typeof value === 'number') return value;
  return /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}

/** US dollars of an amount as it is written in a configuration: a number, or text such as `$5`, `0.50`. `null` for anything else. */
export function parseMoneyUsd(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const amount = MONEY.exec(value.trim())?.[1];
  return amount === undefined ? null : Number(amount);
}

const MONEY = /^\$?\s*(\d+(?:\.\d+)?|\.\d+)$/;

/**
 * Milliseconds of a duration as it is written in a configuration: a number of seconds, also as text, or text of parts from the
 * largest unit to the smallest, such as `10m`, `1h30m`, `1.5h`, `500ms`. `null` for anything else, never 0 for what cannot be read.
 */
export function parseDurationMs(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? toWholeMs(value * 1000) : null;
  const text = value.trim();
  if (PLAIN.test(text)) return toWholeMs(Number(text) * 1000);
  return parseParts(text);
}

const PART = /(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)\s*/gy;

const PLAIN = /^\d+(?:\.\d+)?$|^\.\d+$/;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const UNITS = Object.keys(UNIT_MS);

function parseParts(text: string): number | null {
  let sum = 0;
  let end = 0;
  let smallest = UNITS.length;
  for (const [part, amount, unit] of text.matchAll(PART)) {
    const rank = UNITS.indexOf(unit ?? '');
    if (rank >= smallest) return null;
    smallest = rank;
    end += part.length;
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return end === text.length && end > 0 ? toWholeMs(sum) : null;
}

/** Whole milliseconds; a duration above 0 never becomes 0. */
function toWholeMs(ms: number): number {
  return ms > 0 ? Math.max(1, Math.round(ms)) : Math.round(ms);
}
