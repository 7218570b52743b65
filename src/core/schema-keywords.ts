/** What may stand behind a keyword of JSON Schema. */
export type KeywordForm =
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
export const SCHEMA_KEYWORDS: Readonly<Record<string, KeywordForm>> = {
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
export const SCHEMA_TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

/** Keywords whose schemas hold for the very value that the schema is about, not for a part of it. */
export const SAME_PLACE_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', '$ref'] as const;
