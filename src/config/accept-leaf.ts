import { isTopic, isTopicPattern } from '../core/index.ts';
import { parseNumber } from './parse-number.ts';
import type { LeafSetting, NumberSetting, TextSetting } from './setting.ts';

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

function isInBounds({ kind, min, above }: NumberSetting, value: number): boolean {
  if (kind === 'integer' ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false;
  if (min !== undefined && value < min) return false;
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
