import { MAX_TOPIC_LENGTH } from '../../core/events/topics.ts';
import type { Json } from '../../core/values/json.ts';
import type {
  BackendSetting,
  Keys,
  LeafSetting,
  ListSetting,
  MapSetting,
  NumberSetting,
  ObjectSetting,
  Setting,
  TextSetting,
} from './setting.ts';
import { MAX_PROMISE_LENGTH, MAX_SECONDS } from './setting-values.ts';
import { HAT_ID_PATTERN, MAX_HAT_ID_LENGTH, RESERVED_HAT_IDS, SETTINGS_TABLE } from './settings-table.ts';

export type JsonSchema = { readonly [keyword: string]: Json };

/** Draft 7 is what the language servers of editors read for YAML; newer drafts they take for this one, or not at all. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

/**
 * The settings table as a JSON Schema (draft 7) for editors, with descriptions and defaults: unknown keys are wrong, those that begin with
 * `x-` or `_` belong to the user, an optional setting may be left empty, and `${NAME}` may stand where a value is.
 */
export function createJsonSchema(): JsonSchema {
  const title = 'Configuration of Ralph';
  return { $schema: DRAFT, title, ...toObjectSchema(SETTINGS_TABLE.keys), description: SETTINGS_TABLE.doc, type: 'object' };
}

function toSchema(setting: Setting): JsonSchema {
  const words = setting.default === undefined ? {} : { default: setting.default as Json };
  return { description: setting.doc, ...words, ...toBareSchema(setting) };
}

function toBareSchema(setting: Setting): JsonSchema {
  switch (setting.kind) {
    case 'object':
      return toMaybeShort(setting, toObjectSchema(setting.keys));
    case 'map':
      return toMapSchema(setting);
    case 'list':
      return toListSchema(setting);
    case 'backend':
      return toBackendSchema(setting);
    case 'publish':
      return { anyOf: [toSchema(setting.topic), toObjectSchema(setting.keys)] };
    case 'schema':
      return { type: ['object', 'boolean'] };
    case 'hooks':
      return { type: 'object' };
    case 'later':
      return {};
    default:
      return toLeafJsonSchema(setting);
  }
}

/** Nothing written is the same as no key, so `null` is right wherever a key may be left out. */
function toOptional(setting: Setting): JsonSchema {
  const schema = toSchema(setting);
  if (setting.required === true || setting.kind === 'later') return schema;
  const { type, anyOf } = schema;
  if (typeof type === 'string' && schema['enum'] === undefined) return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] };
  return Array.isArray(anyOf) ? { ...schema, anyOf: [...anyOf, { type: 'null' }] } : schema;
}

function toObjectSchema(keys: Keys): JsonSchema {
  const required = Object.keys(keys).filter((name) => keys[name]?.required === true);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(keys).map(([name, setting]) => [name, toOptional(setting)])),
    ...(required.length === 0 ? {} : { required }),
    patternProperties: { '^(?:x-|_)': {} },
    additionalProperties: false,
  };
}

/** The map, or one word for one of its keys. */
function toMaybeShort({ keys, short }: ObjectSetting, map: JsonSchema): JsonSchema {
  const word = short === undefined ? undefined : keys[short];
  return word === undefined ? map : { anyOf: [toBareSchema(word), map] };
}

const HAT_IDS = {
  propertyNames: { pattern: HAT_ID_PATTERN, maxLength: MAX_HAT_ID_LENGTH, not: { enum: RESERVED_HAT_IDS } },
  minProperties: 1,
} as const;

function toMapSchema({ values, variables, hatIds }: MapSetting): JsonSchema {
  const names = variables === true ? { propertyNames: { pattern: '^[^=]+$' } } : {};
  return { type: 'object', ...names, ...(hatIds === true ? HAT_IDS : {}), additionalProperties: toOptional(values) };
}

function toListSchema({ items, nonEmpty, nonEmptyByRule, fewestByRule }: ListSetting): JsonSchema {
  const item = toSchema(items);
  if (fewestByRule !== undefined) return { type: 'array', items: item, minItems: fewestByRule };
  const isNonEmpty = nonEmpty === true || nonEmptyByRule === true;
  return { anyOf: [{ type: 'array', items: item, ...(isNonEmpty ? { minItems: 1 } : {}) }, item] };
}

function toBackendSchema({ name, keys, isAlone }: BackendSetting): JsonSchema {
  const one = { anyOf: [toSchema(name), toObjectSchema(keys)] };
  if (isAlone === true) return one;
  return { anyOf: [...one.anyOf, { type: 'array', items: one, minItems: 1 }] };
}

/** A value from the environment, whatever it holds. */
const VARIABLE = String.raw`\$\{`;
const SEGMENT = '[A-Za-z0-9_-]+';
const STEP = String.raw`(?:${SEGMENT}|\*)`;
const AMOUNT = String.raw`(?:\d+(?:\.\d+)?|\.\d+)`;
const LINE = String.raw`[^\r\n]*\S[^\r\n]*`;

/** What a number may be written as besides a number. */
const NUMBER_TEXTS: Readonly<Record<NumberSetting['kind'], string>> = {
  integer: String.raw`^\s*-?\d+\s*$`,
  number: String.raw`^\s*-?\d+(?:\.\d+)?\s*$`,
  money: String.raw`^\s*\$?\s*${AMOUNT}\s*$`,
  duration: String.raw`^\s*(?:${AMOUNT}|(?:${AMOUNT}\s*(?:ms|s|m|h|d)\s*)+)\s*$`,
};

/** The JSON Schema of one scalar as it may be written. Bounds hold for numbers, patterns for texts. */
function toLeafJsonSchema(setting: LeafSetting): JsonSchema {
  switch (setting.kind) {
    case 'flag':
      return { type: ['boolean', 'string'], pattern: VARIABLE };
    case 'choice':
      return { anyOf: [{ enum: [...setting.values] }, { type: 'string', pattern: VARIABLE }] };
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return toNumberSchema(setting);
    default:
      return toTextSchema(setting.kind);
  }
}

function toNumberSchema({ kind, min, max, above, or }: NumberSetting): JsonSchema {
  const number = {
    type: [kind === 'integer' ? 'integer' : 'number', 'string'],
    ...(min === undefined ? {} : { minimum: min }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(kind === 'duration' || max !== undefined ? { maximum: max ?? MAX_SECONDS } : {}),
    pattern: `${NUMBER_TEXTS[kind]}|${VARIABLE}`,
  };
  return or === undefined ? number : { anyOf: [number, { const: or }] };
}

function toTextSchema(kind: TextSetting['kind']): JsonSchema {
  const text = { type: 'string' } as const;
  switch (kind) {
    case 'text':
      return text;
    case 'variable':
      return { type: ['string', 'number', 'boolean'] };
    case 'word':
      return { type: ['string', 'number', 'boolean'], pattern: `^${LINE}$` };
    case 'line':
    case 'file':
      return { ...text, pattern: `^${LINE}$` };
    case 'command':
      return { ...text, pattern: String.raw`\S` };
    case 'topic':
      return { ...text, maxLength: MAX_TOPIC_LENGTH, pattern: String.raw`^${SEGMENT}(?:\.${SEGMENT})*$|${VARIABLE}` };
    case 'pattern':
      return { ...text, maxLength: MAX_TOPIC_LENGTH, pattern: String.raw`^${STEP}(?:\.${STEP})*$|${VARIABLE}` };
    case 'label':
      return { ...text, pattern: '^[a-z0-9][a-z0-9_-]{0,39}$' };
    case 'promise':
      return { ...text, maxLength: MAX_PROMISE_LENGTH, pattern: String.raw`^\S+$` };
    case 'path':
      return {
        ...text,
        pattern: String.raw`^(?![/~\\]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))(?!(?:\.[/\\]+)*\.git(?:[/\\]|$))${LINE}$`,
      };
  }
}
