import * as z from 'zod';
import { isTopic, isTopicPattern } from '../core/index.ts';
import { parseDurationMs } from './parse-duration.ts';
import { parseMoneyUsd } from './parse-money.ts';
import type { LeafSetting, NumberSetting, TextSetting } from './setting.ts';

/** Longer waits than this overflow the timers of the platform: about 24 days. */
const MAX_SECONDS = 2_147_483;
const MAX_PROMISE_LENGTH = 200;

const schemas = new WeakMap<LeafSetting, z.ZodType>();

/** The check of one scalar, made when it is first needed. Durations become milliseconds, amounts of money US dollars. */
export function toLeafSchema(setting: LeafSetting): z.ZodType {
  const known = schemas.get(setting);
  if (known !== undefined) return known;
  const schema = createLeafSchema(setting);
  schemas.set(setting, schema);
  return schema;
}

function createLeafSchema(setting: LeafSetting): z.ZodType {
  switch (setting.kind) {
    case 'flag':
      return z.boolean();
    case 'choice':
      return z.enum(setting.values as [string, ...string[]]);
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return createNumberSchema(setting);
    default:
      return createTextSchema(setting.kind);
  }
}

function createTextSchema(kind: TextSetting['kind']): z.ZodType {
  const text = z.string().refine((value) => !value.includes('\0'));
  const asWritten = z.union([text, z.number().transform(String), z.boolean().transform(String)]);
  switch (kind) {
    case 'text':
      return text;
    case 'variable':
      return asWritten;
    case 'word':
      return asWritten.refine(isLine);
    case 'line':
    case 'file':
      return text.refine(isLine);
    case 'command':
      return text.refine((value) => value.trim() !== '').transform((value) => value.trim());
    case 'topic':
      return text.refine(isTopic);
    case 'pattern':
      return text.refine(isTopicPattern);
    case 'promise':
      return text.refine((value) => /^\S+$/.test(value) && value.length <= MAX_PROMISE_LENGTH);
    case 'path':
      return text.refine(isInsidePath);
  }
}

function createNumberSchema(setting: NumberSetting): z.ZodType {
  const unit = setting.kind === 'duration' ? 1000 : 1;
  const inBounds = (value: number): boolean => isInBounds(setting, value / unit);
  const number = z.number().transform((value) => parseNumber(setting, value) ?? Number.NaN);
  const text = z.string().transform((value) => parseNumber(setting, value) ?? Number.NaN);
  return z.union([number.refine(inBounds), text.refine(inBounds)]);
}

function parseNumber(setting: NumberSetting, value: string | number): number | null {
  if (setting.kind === 'duration') return parseDurationMs(value);
  if (setting.kind === 'money') return parseMoneyUsd(value);
  const number = typeof value === 'number' ? value : /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
  return number !== null && setting.kind === 'integer' && !Number.isSafeInteger(number) ? null : number;
}

function isInBounds(setting: NumberSetting, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (value === setting.or) return true;
  const max = setting.max ?? (setting.kind === 'duration' ? MAX_SECONDS : Number.POSITIVE_INFINITY);
  return value >= (setting.min ?? Number.NEGATIVE_INFINITY) && value > (setting.above ?? Number.NEGATIVE_INFINITY) && value <= max;
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
