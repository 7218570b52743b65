import { Validator } from '@cfworker/json-schema';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../core/values/json.ts';

const MAX_ISSUES = 8;

/** Keywords that name the schema itself: two tools may bring the same. */
const NAMES = ['$schema', '$id', 'id'];

/**
 * What a tool takes, where it comes as JSON Schema (from an MCP server or a plugin): it is shown to models as it is, and arguments are checked against
 * it. A schema that cannot be checked lets every object pass; the tool has the last word.
 */
export function toJsonSchemaType(schema: JsonObject): z.ZodType<JsonObject> {
  const shown = Object.fromEntries(Object.entries(schema).filter(([key]) => !NAMES.includes(key)));
  const check = createCheck(schema);
  const type = z.unknown().superRefine((args, context) => {
    if (!isJsonObject(args)) context.addIssue({ code: 'custom', message: 'is no object' });
    else for (const { path, message } of check(args)) context.addIssue({ code: 'custom', path: [...path], message });
  });
  return type.meta({ type: 'object', ...shown }) as unknown as z.ZodType<JsonObject>;
}

interface SchemaIssue {
  readonly path: readonly string[];
  readonly message: string;
}

function createCheck(schema: JsonObject): (args: JsonObject) => readonly SchemaIssue[] {
  try {
    const validator = new Validator(schema, '2020-12', false);
    return (args) => runCheck(validator, args);
  } catch {
    return () => [];
  }
}

function runCheck(validator: Validator, args: JsonObject): readonly SchemaIssue[] {
  try {
    const { valid, errors } = validator.validate(args);
    if (valid) return [];
    // What contains an error repeats it: only the innermost say what is wrong.
    const inner = errors.filter(({ keyword }) => !['properties', 'items', '$ref', 'allOf', 'additionalProperties'].includes(keyword));
    const told = inner.length > 0 ? inner : errors;
    return told
      .slice(0, MAX_ISSUES)
      .map(({ instanceLocation, error }) => ({ path: toPath(instanceLocation), message: error.slice(0, 300) }));
  } catch {
    return [];
  }
}

/** `#/a/b` -> `a`, `b`. */
function toPath(location: string): readonly string[] {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
