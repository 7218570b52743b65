import { isJsonObject, type Json, type JsonObject } from '../core/index.ts';

/** The object under a key; an empty one where there is none. Foreign JSON is read with these alone, so that no shape can surprise. */
export function objectAt(value: Json | undefined, key: string): JsonObject {
  const child = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(child) ? child : {};
}

/** The list under a key; an empty one where there is none. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const child = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(child) ? child : [];
}

/** The text under a key; empty where there is none. */
export function textAt(value: Json | undefined, key: string): string {
  const child = isJsonObject(value) ? value[key] : undefined;
  return typeof child === 'string' ? child : '';
}

/** The finite number under a key, or `null`. */
export function numberAt(value: Json | undefined, key: string): number | null {
  const child = isJsonObject(value) ? value[key] : undefined;
  return typeof child === 'number' && Number.isFinite(child) ? child : null;
}
