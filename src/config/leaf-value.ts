import { parseNumber } from './parse-number.ts';
import type { LeafSetting } from './setting.ts';

/** The checked value of a scalar that its schema accepts: durations in milliseconds, amounts in US dollars. */
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
      return value;
  }
}
