import type { Json } from '../../core/values/json.ts';
import type { LocatedValue } from '../findings/located.ts';

/** A schema or payload of more parts than this is not read: a few aliases can stand for billions. */
const MAX_PARTS = 20_000;

/** A located value as JSON, without its places; `undefined` where it is too large, or holds a number that JSON cannot express. */
export function toJson(value: LocatedValue): Json | undefined {
  return convert(value, { parts: MAX_PARTS });
}

function convert(value: LocatedValue, budget: { parts: number }): Json | undefined {
  budget.parts -= 1;
  if (budget.parts < 0) return undefined;
  if (value.kind === 'scalar') return typeof value.value === 'number' && !Number.isFinite(value.value) ? undefined : value.value;
  if (value.kind === 'list') return convertAll(value.items, budget);
  const names = [...value.entries.keys()];
  const parts = convertAll(
    [...value.entries.values()].map((entry) => entry.value),
    budget,
  );
  return parts === undefined ? undefined : Object.fromEntries(parts.map((part, index) => [names[index] ?? '', part]));
}

function convertAll(values: readonly LocatedValue[], budget: { parts: number }): readonly Json[] | undefined {
  const parts: Json[] = [];
  for (const value of values) {
    const part = convert(value, budget);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}
