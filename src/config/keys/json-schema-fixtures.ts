import type { Json } from '../../core/values/json.ts';
import type { JsonSchema } from './create-json-schema.ts';

type Check = (rule: Json, value: Json, schema: JsonSchema) => boolean;

/** The keywords of draft 7 that our schema uses; a keyword that is not here is a mistake of the schema. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  $schema: () => true,
  title: () => true,
  description: () => true,
  default: () => true,
  type: (rule, value) => [rule].flat().some((type) => isOfType(type, value)),
  enum: (rule, value) => Array.isArray(rule) && rule.includes(value),
  const: (rule, value) => rule === value,
  anyOf: (rule, value) => Array.isArray(rule) && rule.some((schema) => matchesJsonSchema(schema, value)),
  not: (rule, value) => !matchesJsonSchema(rule, value),
  minProperties: (rule, value) => !isObject(value) || Object.keys(value).length >= Number(rule),
  pattern: (rule, value) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  maxLength: (rule, value) => typeof value !== 'string' || value.length <= Number(rule),
  minimum: (rule, value) => typeof value !== 'number' || value >= Number(rule),
  maximum: (rule, value) => typeof value !== 'number' || value <= Number(rule),
  exclusiveMinimum: (rule, value) => typeof value !== 'number' || value > Number(rule),
  items: (rule, value) => !Array.isArray(value) || value.every((item: Json) => matchesJsonSchema(rule, item)),
  minItems: (rule, value) => !Array.isArray(value) || value.length >= Number(rule),
  required: (rule, value) => !isObject(value) || (Array.isArray(rule) && rule.every((name) => Object.hasOwn(value, String(name)))),
  propertyNames: (rule, value) => !isObject(value) || Object.keys(value).every((name) => matchesJsonSchema(rule, name)),
  properties: (rule, value) =>
    !isObject(value) ||
    Object.entries(value).every(([name, inner]) => !hasOwn(rule, name) || matchesJsonSchema(toObject(rule)[name], inner)),
  patternProperties: () => true,
  additionalProperties: (rule, value, schema) =>
    !isObject(value) ||
    Object.entries(value)
      .filter(([name]) => !hasOwn(schema['properties'], name) && !isPatterned(schema, name))
      .every(([, inner]) => matchesJsonSchema(rule, inner)),
};

/** Whether a value is right by a schema. Throws for a keyword that it does not know. */
export function matchesJsonSchema(schema: Json | undefined, value: Json): boolean {
  if (typeof schema === 'boolean') return schema;
  const rules = toObject(schema);
  return Object.entries(rules).every(([keyword, rule]) => {
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`no keyword of draft 7, or none we use: ${keyword}`);
    return check(rule, value, rules);
  });
}

function isOfType(type: Json, value: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function isPatterned(schema: JsonSchema, name: string): boolean {
  return Object.keys(toObject(schema['patternProperties'])).some((pattern) => new RegExp(pattern, 'u').test(name));
}

function hasOwn(schema: Json | undefined, name: string): boolean {
  return Object.hasOwn(toObject(schema), name);
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toObject(value: Json | undefined): { readonly [key: string]: Json } {
  return isObject(value) ? value : {};
}
