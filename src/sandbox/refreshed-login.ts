import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/index.ts';

/** What a token and its expiry look like: nothing that a file of another kind could be made of. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/**
 * The user's own login with the tokens of its copy. Pure. `null` where the copy differs in anything else: another key, another kind of value, another
 * length of a list, a value that is no token.
 *
 * @param tokens the names of the fields that may have changed, at any depth; a text that is itself JSON is compared as such
 */
export function toRefreshed(own: Json, copy: Json, tokens: ReadonlySet<string>): { readonly value: Json } | null {
  return compare(own, copy, { tokens, isToken: false });
}

interface Place {
  readonly tokens: ReadonlySet<string>;
  /** Whether the value belongs to a field that holds a token. */
  readonly isToken: boolean;
}

function compare(own: Json, copy: Json, place: Place): { readonly value: Json } | null {
  if (own === copy) return { value: own };
  if (isJsonObject(own)) return isJsonObject(copy) ? compareObjects(own, copy, place) : null;
  if (isList(own)) return isList(copy) ? compareLists(own, copy, place) : null;
  if (place.isToken && typeof own === 'number') return typeof copy === 'number' && Number.isFinite(copy) ? { value: copy } : null;
  if (typeof own !== 'string' || typeof copy !== 'string') return null;
  if (place.isToken) return TOKEN.test(copy) ? { value: copy } : null;
  return compareTexts(own, copy, place);
}

function compareObjects(own: JsonObject, copy: JsonObject, { tokens }: Place): { readonly value: Json } | null {
  const keys = Object.keys(own);
  if (keys.length !== Object.keys(copy).length) return null;
  const entries: [string, Json][] = [];
  for (const key of keys) {
    const [before, after] = [own[key], Object.hasOwn(copy, key) ? copy[key] : undefined];
    const next = before === undefined || after === undefined ? null : compare(before, after, { tokens, isToken: tokens.has(key) });
    if (next === null) return null;
    entries.push([key, next.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function compareLists(own: readonly Json[], copy: readonly Json[], { tokens }: Place): { readonly value: Json } | null {
  if (own.length !== copy.length) return null;
  const values: Json[] = [];
  for (const [index, before] of own.entries()) {
    const after = copy[index];
    const next = after === undefined ? null : compare(before, after, { tokens, isToken: false });
    if (next === null) return null;
    values.push(next.value);
  }
  return { value: values };
}

function compareTexts(own: string, copy: string, place: Place): { readonly value: Json } | null {
  const [before, after] = [parseJson(own), parseJson(copy)];
  if (!isJsonObject(before ?? null) || !isJsonObject(after ?? null)) return null;
  const next = compare(before ?? null, after ?? null, place);
  return next === null ? null : { value: JSON.stringify(next.value) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
