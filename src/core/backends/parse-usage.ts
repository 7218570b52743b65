import { isJsonObject, type Json } from '../values/json.ts';
import { UNKNOWN_USAGE, type Usage } from './usage.ts';

/** Reads a usage that somebody else tells; `null` for what is none. */
export function parseUsage(value: Json | undefined): Usage | null {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(UNKNOWN_USAGE) as readonly (keyof Usage)[];
  const isFigure = (figure: Json | undefined): boolean => figure === null || (typeof figure === 'number' && figure >= 0);
  if (!keys.every((key) => isFigure(value[key]))) return null;
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as unknown as Usage;
}
