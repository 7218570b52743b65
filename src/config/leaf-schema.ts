import * as z from 'zod';
import { isTopic, isTopicPattern } from '../core/index.ts';
import { parseNumber } from './parse-number.ts';
import type { LeafSetting, NumberSetting, TextSetting } from './setting.ts';

/** Longer waits than this overflow the timers of the platform: about 24 days. */
const MAX_SECONDS = 2_147_483;
const MAX_PROMISE_LENGTH = 200;

const schemas = new WeakMap<LeafSetting, z.ZodType>();

/** The check of one scalar as it is written, made when it is first needed. It converts nothing. */
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
  switch (kind) {
    case 'text':
      return text;
    case 'variable':
      return z.union([text, z.number(), z.boolean()]);
    case 'word':
      return z.union([text.refine(isLine), z.number(), z.boolean()]);
    case 'line':
    case 'file':
      return text.refine(isLine);
    case 'command':
      return text.refine((value) => value.trim() !== '');
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
  const whole = setting.kind === 'integer' ? z.int() : z.number();
  let number = setting.min === undefined ? whole : whole.gte(setting.min);
  if (setting.above !== undefined) number = number.gt(setting.above);
  if (setting.kind === 'duration') number = number.lte(MAX_SECONDS);
  const text = z.string().refine((value) => {
    const given = parseNumber(setting.kind, value);
    return given !== null && (given === setting.or || number.safeParse(setting.kind === 'duration' ? given / 1000 : given).success);
  });
  return setting.or === undefined ? z.union([number, text]) : z.union([z.literal(setting.or), number, text]);
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
