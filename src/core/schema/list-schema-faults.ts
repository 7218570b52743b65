import { findNearMiss } from '../text/near-miss.ts';
import { isJsonObject, isTextList, type Json, type JsonObject, readOwn } from '../values/json.ts';
import { tryOr } from '../values/result.ts';
import { resolveReference } from './describe-shape.ts';

/** Something in a JSON Schema that cannot be meant. */
export interface SchemaFault {
  /** Keys and places from the top of the schema. */
  readonly path: readonly (string | number)[];
  /** An error makes the schema useless; a warning is a keyword that does nothing. */
  readonly severity: 'error' | 'warning';
  /** What is wrong, behind "It …": `needs a list of texts`. */
  readonly message: string;
}

const MAX_DEPTH = 40;
const MAX_PARTS = 5000;
const MAX_FAULTS = 50;

/**
 * What is wrong with a JSON Schema (2020-12): keywords that nobody knows, values that a keyword does not take, patterns that cannot be read, references
 * that lead nowhere, outside, or round in a circle. A schema without errors can be held against any payload in bounded time, its patterns aside.
 */
export function listSchemaFaults(schema: Json): readonly SchemaFault[] {
  const search: FaultSearch = { root: schema, faults: [], parts: 0 };
  checkSchema(search, schema, []);
  if (search.faults.every((fault) => fault.severity !== 'error') && isCircular(schema)) {
    search.faults.push({ path: [], severity: 'error', message: 'refers to itself in a circle that takes nothing of the payload away' });
  }
  return search.faults.slice(0, MAX_FAULTS);
}

interface FaultSearch {
  readonly root: Json;
  readonly faults: SchemaFault[];
  parts: number;
}

type SchemaPath = SchemaFault['path'];

function report(search: FaultSearch, path: SchemaPath, message: string, severity: SchemaFault['severity'] = 'error'): void {
  if (search.faults.length < MAX_FAULTS) search.faults.push({ path, severity, message });
}

function checkSchema(search: FaultSearch, schema: Json, path: SchemaPath): void {
  search.parts += 1;
  if (path.length > MAX_DEPTH || search.parts > MAX_PARTS)
    return report(search, path.slice(0, MAX_DEPTH), 'is too large or nested too deeply');
  if (typeof schema === 'boolean') return;
  if (!isJsonObject(schema)) return report(search, path, 'must be a JSON Schema: keywords with values, `true` or `false`');
  for (const [keyword, value] of Object.entries(schema)) {
    const form = readOwn(SCHEMA_KEYWORDS, keyword);
    if (form === undefined) reportUnknown(search, [...path, keyword], keyword);
    else checkKeyword(search, form, value, [...path, keyword]);
  }
}

function reportUnknown(search: FaultSearch, path: SchemaPath, keyword: string): void {
  if (/^x-/.test(keyword)) return;
  if (/^\$/.test(keyword))
    return report(search, path, 'is a keyword that is not supported here: of references only `$ref` to `#/$defs/…` is');
  const near = findNearMiss(keyword, Object.keys(SCHEMA_KEYWORDS));
  const meant = near === undefined ? '' : `: did you mean \`${near}\`?`;
  report(search, path, `is no keyword of JSON Schema, so it does nothing${meant}`, near === undefined ? 'warning' : 'error');
}

function checkKeyword(search: FaultSearch, form: KeywordForm, value: Json, path: SchemaPath): void {
  switch (form) {
    case 'schema':
      return checkSchema(search, value, path);
    case 'schemas':
      if (!Array.isArray(value) || value.length === 0) return report(search, path, 'needs a list of schemas');
      return value.forEach((part, index) => checkSchema(search, part, [...path, index]));
    case 'schema-map':
    case 'pattern-map':
      return checkMap(search, form, value, path);
    case 'reference':
      return checkReference(search, value, path);
    default: {
      const need = findNeed(form, value);
      if (need !== null) report(search, path, `needs ${need}`);
    }
  }
}

function checkMap(search: FaultSearch, form: KeywordForm, value: Json, path: SchemaPath): void {
  if (!isJsonObject(value)) return report(search, path, 'needs names with a schema each');
  for (const [name, part] of Object.entries(value)) {
    if (form === 'pattern-map' && !isPattern(name)) report(search, [...path, name], 'needs a name that is a regular expression');
    checkSchema(search, part, [...path, name]);
  }
}

function checkReference(search: FaultSearch, value: Json, path: SchemaPath): void {
  if (typeof value !== 'string' || !/^#(?:\/|$)/.test(value)) {
    return report(search, path, 'must lead to a part of the same schema, such as `#/$defs/file`: nothing is loaded from elsewhere');
  }
  const part = resolveReference(search.root, value);
  if (!isJsonObject(part) && typeof part !== 'boolean') report(search, path, 'leads to nothing in this schema');
}

/** What a keyword takes, as the end of "It needs …"; `null` where the value is that. */
function findNeed(
  form: Exclude<KeywordForm, 'schema' | 'schemas' | 'schema-map' | 'pattern-map' | 'reference'>,
  value: Json,
): string | null {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  switch (form) {
    case 'type':
      return isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType))
        ? null
        : `one or some of ${SCHEMA_TYPES.join(', ')}`;
    case 'values':
      return Array.isArray(value) && value.length > 0 ? null : 'a list of values';
    case 'words':
      return isTextList(value) ? null : 'a list of names';
    case 'word-lists':
      return isJsonObject(value) && Object.values(value).every(isTextList) ? null : 'names with a list of names each';
    case 'count':
      return isNumber && Number.isSafeInteger(value) && value >= 0 ? null : 'a whole number from 0 on';
    case 'number':
      return isNumber ? null : 'a number';
    case 'positive':
      return isNumber && value > 0 ? null : 'a number above 0';
    case 'flag':
      return typeof value === 'boolean' ? null : '`true` or `false`';
    case 'text':
      return typeof value === 'string' ? null : 'a text';
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? null : 'a regular expression';
    case 'any':
      return null;
  }
}

function isType(value: Json): boolean {
  return typeof value === 'string' && (SCHEMA_TYPES as readonly string[]).includes(value);
}

function isPattern(text: string): boolean {
  return tryOr(() => new RegExp(text, 'u') !== null, false);
}

/** True if some schema asks for itself about the very same value: no payload would ever be judged. */
function isCircular(root: Json): boolean {
  const done = new Set<JsonObject>();
  const open = new Set<JsonObject>();
  const visit = (schema: Json | undefined): boolean => {
    if (!isJsonObject(schema) || done.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const isFound = listSamePlace(root, schema).some(visit);
    open.delete(schema);
    done.add(schema);
    return isFound;
  };
  return listParts(root).some(visit);
}

function listSamePlace(root: Json, schema: JsonObject): readonly (Json | undefined)[] {
  return SAME_PLACE_KEYWORDS.flatMap((keyword): readonly (Json | undefined)[] => {
    const value = schema[keyword];
    if (value === undefined) return [];
    if (keyword === '$ref') return typeof value === 'string' ? [resolveReference(root, value)] : [];
    if (Array.isArray(value)) return value;
    return keyword === 'dependentSchemas' && isJsonObject(value) ? Object.values(value) : [value];
  });
}

/** Every object in a schema, itself included; what is no schema does no harm. */
function listParts(root: Json): readonly Json[] {
  const parts: Json[] = [root];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at];
    if (Array.isArray(part)) parts.push(...part);
    else if (isJsonObject(part)) parts.push(...Object.values(part));
  }
  return parts;
}

/** What may stand behind a keyword of JSON Schema. */
type KeywordForm =
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'pattern-map'
  | 'type'
  | 'values'
  | 'any'
  | 'words'
  | 'word-lists'
  | 'count'
  | 'number'
  | 'positive'
  | 'flag'
  | 'text'
  | 'pattern'
  | 'reference';

/** The keywords of JSON Schema 2020-12 that are checked or passed over, each with what it takes. Those that load other documents are not among them. */
const SCHEMA_KEYWORDS: Readonly<Record<string, KeywordForm>> = {
  type: 'type',
  enum: 'values',
  const: 'any',
  properties: 'schema-map',
  patternProperties: 'pattern-map',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'words',
  dependentRequired: 'word-lists',
  dependentSchemas: 'schema-map',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'schema',
  prefixItems: 'schemas',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  format: 'text',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: 'schema',
  else: 'schema',
  $ref: 'reference',
  $defs: 'schema-map',
  definitions: 'schema-map',
  $schema: 'text',
  $comment: 'text',
  title: 'text',
  description: 'text',
  default: 'any',
  examples: 'any',
  deprecated: 'flag',
  readOnly: 'flag',
  writeOnly: 'flag',
};

/** The types of JSON as a schema names them. */
const SCHEMA_TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

/** Keywords whose schemas hold for the very value that the schema is about, not for a part of it. */
const SAME_PLACE_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', '$ref'] as const;
