import { parseDurationMs } from './parse-duration.ts';
import { parseMoneyUsd } from './parse-money.ts';
import type { NumberSetting } from './setting.ts';

/** The number that a text or a number of the file stands for: of a duration milliseconds; `null` where it stands for none. */
export function parseNumber(kind: NumberSetting['kind'], value: string | number): number | null {
  if (kind === 'duration') return parseDurationMs(value);
  if (kind === 'money') return parseMoneyUsd(value);
  if (typeof value === 'number') return value;
  return /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}
