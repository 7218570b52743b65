/** Any value that JSON can carry. Payloads, inputs, effects and states are made of nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** True for a plain object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else an empty one. */
export function toJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The value that a record has under a name of somebody else's: what records inherit (`constructor`) is none of it. */
export function readOwn<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** True for a list of nothing but texts. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** True for a text, and for `null`. */
export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** True for a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Parses text as JSON; `undefined` (which JSON cannot express) where it is not JSON. Never throws. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Nesting that is looked at when values are compared; what lies deeper counts as equal. Far below what the engine's stack bears. */
const COMPARED_DEPTH = 1000;

/** JSON with object keys in the order of their UTF-16 code units and no white space, so that two equal values have one text. Never throws. */
export function toCanonicalJson(value: Json): string {
  return toCanonical(value, COMPARED_DEPTH);
}

/** Written by hand, because keys such as `__proto__` and `10` have no place of their own in a sorted copy. */
function toCanonical(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === 0) return '"…"';
  if (!isJsonObject(value)) return `[${value.map((child) => toCanonical(child, depth - 1)).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${toCanonical(value[key] as Json, depth - 1)}`).join(',')}}`;
}

/** True if arrays and objects are nested in each other more than this many times. */
export function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

/**
 * The form in which two payloads are compared: canonical JSON if the payload is, or parses as, JSON;
 * else the trimmed text.
 */
export function toComparablePayload(payload: Json): string {
  if (typeof payload !== 'string') return toCanonicalJson(payload);
  const trimmed = payload.trim();
  const parsed = MAY_BE_JSON.test(trimmed) ? parseJson(trimmed) : undefined;
  return parsed === undefined ? trimmed : toCanonicalJson(parsed);
}

/** Most payloads are words: looking at how they begin saves the exception that parsing them would cost. */
const MAY_BE_JSON = /^(?:[[{"\d-]|(?:true|false|null)$)/;

/** A payload as a person or a prompt shows it: text as it is, anything else as JSON. */
export function toPayloadText(payload: Json): string {
  return typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? 'null');
}

/**
 * A value with each of its texts as `map` gives it back; the same value where nothing changes.
 *
 * @param byKey what becomes of the value of a key in the place of that; `undefined`: nothing else
 * @param mapKey what becomes of names of fields; one that is there already gets a number
 */
export function mapTexts(
  value: Json,
  map: (text: string) => string,
  byKey: (key: string) => ((part: Json) => Json) | undefined = () => undefined,
  mapKey: (key: string) => string = (key) => key,
): Json {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  const mapPart = (part: Json): Json => mapTexts(part, map, byKey, mapKey);
  if (Array.isArray(value)) {
    const items = value.map(mapPart);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const names: NameCounts = new Map();
  let isChanged = false;
  const entries = Object.entries(value as JsonObject).map(([key, part]) => {
    const after = (byKey(key) ?? mapPart)(part);
    const name = takeFreeName(mapKey(key), names);
    isChanged ||= after !== part || name !== key;
    return [name, after] as const;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

/** The names that are taken, each with the number that another one of it begins to look at: as many alike ones as anybody likes cost no more than others. */
type NameCounts = Map<string, number>;

function takeFreeName(name: string, taken: NameCounts): string {
  let free = name;
  let count = taken.get(name) ?? 1;
  while (taken.has(free)) {
    count += 1;
    free = `${name} ${count}`;
  }
  taken.set(name, count);
  if (free !== name) taken.set(free, 1);
  return free;
}
