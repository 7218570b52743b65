/** Any value that JSON can carry. Payloads, inputs, effects and states are made of nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** True for a plain object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text as JSON; `undefined` (which JSON cannot express) where it is not JSON. Never throws. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * JSON with object keys in code-point order and no white space, so that two equal values have one text.
 * Nesting deeper than the engine's stack (thousands of levels) falls back to plain JSON.
 */
export function toCanonicalJson(value: Json): string {
  try {
    return JSON.stringify(value, (_key, child: Json) => (isJsonObject(child) ? sortKeys(child) : child)) ?? 'null';
  } catch {
    return JSON.stringify(String(value));
  }
}

function sortKeys(value: JsonObject): JsonObject {
  const sorted: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) sorted[key] = value[key] as Json;
  return sorted;
}

/**
 * The form in which two payloads are compared: canonical JSON if the payload is, or parses as, JSON;
 * else the trimmed text (decisions, section 3).
 */
export function toComparablePayload(payload: Json): string {
  if (typeof payload !== 'string') return toCanonicalJson(payload);
  const trimmed = payload.trim();
  const parsed = parseJson(trimmed);
  return parsed === undefined ? trimmed : toCanonicalJson(parsed);
}

/** A payload as a person or a prompt shows it: text as it is, anything else as JSON. */
export function toPayloadText(payload: Json): string {
  return typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? 'null');
}
