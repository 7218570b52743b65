import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import type { Schema, Validator } from '@cfworker/json-schema';
import { contractOf, type EventContracts, type PayloadCheck } from '../core/run/run-spec.ts';
import { describeShape } from '../core/schema/describe-shape.ts';
import { shorten } from '../core/text/shorten.ts';
import { type Json, parseJson } from '../core/values/json.ts';

const MAX_PROBLEMS = 3;
const MAX_TEXT = 200;
/** How long the check of one payload may take: a pattern may take for ever on a text that is made for it, and meanwhile nothing else happens. */
const MAX_MS = 500;
/** A topic that used this up is given half the next time, so that many such events do not add up; a plain one still has time on a busy machine. */
const LEAST_MS = 100;
const SCRIPT = new Script('compute()');

/** Keywords whose error only says that a part has errors, which follow. */
const WRAPPERS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'unevaluatedItems',
].concat(['dependentSchemas', 'propertyNames', '$ref', 'allOf', 'if', 'then', 'else']);
const CHOICES = ['anyOf', 'oneOf'];

/** The library that checks values by schemas. It builds no code, so it runs where that is forbidden. */
type SchemaLibrary = typeof import('@cfworker/json-schema');

let library: SchemaLibrary | undefined;

/**
 * Says of payloads whether they are what their topic's schema asks for. A text that is JSON counts as that JSON where only that fits, because
 * signals in texts and command lines carry nothing else. `null` where no topic has a schema.
 */
export function createPayloadCheck(contracts: EventContracts | undefined): PayloadCheck | null {
  if (contracts === undefined || Object.values(contracts).every(({ schema }) => schema === undefined)) return null;
  const finders = new Map<string, FindPayloadProblem>();
  return (topic, payload) => {
    const schema = contractOf(contracts, topic)?.schema;
    if (schema === undefined) return { payload };
    const find = finders.get(topic) ?? createProblemFinder(schema);
    finders.set(topic, find);
    const problem = find(payload);
    if (problem === null) return { payload };
    const read = typeof payload === 'string' ? parseJson(payload) : undefined;
    const readProblem = read === undefined ? problem : find(read);
    if (readProblem === null && read !== undefined) return { payload: read };
    return { problem: `${readProblem ?? problem}; the payload is to be ${describeShape(schema)}` };
  };
}

/** What is wrong with a payload; `null` for nothing. */
type FindPayloadProblem = (payload: Json) => string | null;

/** Checks payloads by one schema, each within its time. */
function createProblemFinder(schema: Json): FindPayloadProblem {
  const validator = createValidator(schema);
  let limitMs = MAX_MS;
  return (payload) => {
    const done = computeWithin(limitMs, () => findProblem(validator, payload));
    limitMs = done === null ? Math.max(LEAST_MS, limitMs / 2) : MAX_MS;
    return done === null ? 'payload cannot be judged by its schema (comparing the two took too long)' : done.value;
  };
}

/** The library writes into the schema, and ours is frozen once it is recorded. */
function createValidator(schema: Json): Validator {
  const { Validator } = loadSchemaLibrary();
  return new Validator(structuredClone(schema) as Schema | boolean, '2020-12', false);
}

/** What is wrong, each part with its path in the payload; `null` where nothing is. A schema that cannot be judged by takes nothing. */
function findProblem(validator: Validator, payload: Json): string | null {
  try {
    const { valid, errors } = validator.validate(payload);
    if (valid) return null;
    const choices = errors.filter(({ keyword }) => CHOICES.includes(keyword));
    const own = errors.filter(
      ({ keyword, keywordLocation: at }) =>
        !WRAPPERS.includes(keyword) && !choices.some((choice) => at.startsWith(`${choice.keywordLocation}/`)),
    );
    const texts = own.map(({ instanceLocation, error }) => `${toPath(instanceLocation)} ${toSentence(error)}`);
    return [...new Set(texts)].slice(0, MAX_PROBLEMS).join('; ') || 'payload is not what its schema asks for';
  } catch (error) {
    return `payload cannot be judged by its schema (${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)})`;
  }
}

/** `#/files/0/name` as `payload.files[0].name`. */
function toPath(location: string): string {
  const steps = location
    .split('/')
    .slice(1)
    .map((step) => decodeStep(step));
  const path = steps.reduce((above, step) => (/^\d+$/.test(step) ? `${above}[${step}]` : `${above}.${step.slice(0, 80)}`), 'payload');
  return shorten(path, MAX_TEXT);
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** An error of the library behind the path of what it is about. */
function toSentence(error: string): string {
  const type = /^Instance type "(.+)" is invalid\. Expected (.+)\.$/s.exec(error);
  if (type !== null) return `is ${type[1]}, not ${(type[2] ?? '').replaceAll('", "', ' or ').replaceAll('"', '')}`;
  const missing = /^Instance does not have required property "(.+)"\.$/s.exec(error);
  if (missing !== null) return `lacks "${(missing[1] ?? '').slice(0, MAX_TEXT)}"`;
  if (error === 'False boolean schema.') return 'is not allowed';
  return shorten(error.replace(/\.$/, '').replace(/^Instance (?=does|matches|is )/, ''), MAX_TEXT);
}

/**
 * Runs what only computes, and gives it up after a time, wherever it is: also within the search of a regular expression.
 *
 * @returns what came of it; `null` where the time was not enough
 * @throws what it throws
 */
function computeWithin<T>(limitMs: number, compute: () => T): { readonly value: T } | null {
  const context = createContext({ compute });
  try {
    return { value: SCRIPT.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) }) as T };
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** The error comes from the other context, so it is no instance of our `Error`. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/**
 * Loads the library when it is first needed: most teams have no schemas, and `ralph emit` is called often. Publishing is synchronous, so this is a
 * `require`. The build keeps it apart for the library (`#library/*` in package.json) and puts it into the script of the command.
 */
function loadSchemaLibrary(): SchemaLibrary {
  library ??= createRequire(import.meta.url)(RALPH_SCHEMA_LIBRARY) as SchemaLibrary;
  return library;
}
