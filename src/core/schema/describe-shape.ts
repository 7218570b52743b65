import { shorten } from '../text/shorten.ts';
import { isJsonObject, type Json, type JsonObject, readOwn } from '../values/json.ts';
import { tryOr } from '../values/result.ts';

const MAX_LEVELS = 3;
const MAX_NAMES = 12;
const MAX_CHOICES = 6;

/**
 * The shape that a JSON Schema asks for in a short line, in the manner of a type: `{files: integer, notes?: string, risk: "low"|"high"}`. It tells
 * the gist; what is not named is not forbidden. Whatever says nothing is `any`.
 *
 * @param maxLength of the text; a longer one is cut, and ends with `…`
 */
export function describeShape(schema: Json, maxLength = 160): string {
  return shorten(toText(schema, schema, MAX_LEVELS), maxLength);
}

function toText(schema: Json | undefined, root: Json, levels: number): string {
  if (!isJsonObject(schema)) return schema === false ? 'nothing' : 'any';
  if (typeof schema['$ref'] === 'string') return levels === 0 ? 'any' : toText(resolveReference(root, schema['$ref']), root, levels - 1);
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return toChoices(schema['enum'].map((value) => JSON.stringify(value)));
  const several = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(several)) return toChoices(several.map((part) => toText(part, root, levels)));
  return toChoices(listTypes(schema).map((type) => toTypeText(type, schema, root, levels)));
}

function listTypes(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === 'string') return [type];
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return ['object'];
  return [schema['items'] === undefined && schema['prefixItems'] === undefined ? 'any' : 'array'];
}

function toTypeText(type: string, schema: JsonObject, root: Json, levels: number): string {
  if (type === 'array') return schema['items'] === undefined || levels === 0 ? 'list' : `[${toText(schema['items'], root, levels - 1)}, …]`;
  if (type !== 'object') return type;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const names = [...new Set([...required, ...Object.keys(properties)])];
  if (names.length === 0 || levels === 0) return 'object';
  const shown = names.slice(0, MAX_NAMES).map((name) => {
    const part = readOwn(properties, name);
    return `${toName(name)}${required.includes(name) ? '' : '?'}: ${toText(part, root, levels - 1)}`;
  });
  return `{${shown.join(', ')}${names.length > MAX_NAMES ? ', …' : ''}}`;
}

function toChoices(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  const more = different.length > MAX_CHOICES ? '|…' : '';
  return `${different.slice(0, MAX_CHOICES).join('|')}${more}`;
}

function toName(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name);
}

/** What `#/a/b` leads to in a document; `undefined` where that is nothing. */
export function resolveReference(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: Json | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decode(step);
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) ? readOwn(value, name) : undefined;
  }
  return value;
}

function decode(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return tryOr(() => decodeURIComponent(plain), plain);
}
