import { findNearMiss, RalphError } from '../core/index.ts';

type Kind = 'text' | 'texts' | 'record' | 'flag' | 'number' | 'count' | 'amount' | 'signal' | 'name';

/** The names that an object may have, each with what stands there. */
export type KnownNames = Readonly<Record<string, Kind | 'any'>>;

const KINDS: Readonly<Record<Kind, readonly [words: string, isRight: (value: unknown) => boolean]>> = {
  text: ['a text', (value) => typeof value === 'string'],
  texts: ['a list of texts', (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')],
  record: ['an object', isObject],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  number: ['a number', (value) => typeof value === 'number'],
  count: ['a whole number above 0', (value) => Number.isSafeInteger(value) && (value as number) > 0],
  amount: ['a number above 0', (value) => typeof value === 'number' && value > 0 && Number.isFinite(value)],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  name: ['a name, or true for one that is made up', (value) => value === true || (typeof value === 'string' && value !== '')],
};

/**
 * Checks an object that a program hands over; what TypeScript would refuse is refused for programs without types too. `undefined` is as not said.
 *
 * @param what how the object is called, such as `The source of a configuration`
 * @throws RalphError `library-argument` (exit code 2)
 */
export function checkObject(value: unknown, what: string, known: KnownNames): void {
  const names = Object.keys(known);
  if (!isObject(value)) throw createError(`${what} must be an object, not ${toShown(value)}.`, `Known names: ${names.join(', ')}.`);
  for (const [name, given] of Object.entries(value)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw createUnknown(`${what} cannot have \`${name.slice(0, 80)}\``, name, names);
    if (kind === 'any' || given === undefined) continue;
    const [words, isRight] = KINDS[kind];
    if (!isRight(given)) throw createError(`\`${name}\` is ${toShown(given)}, which is not ${words}.`, `It must be ${words}.`);
  }
}

/**
 * Checks one of a few words; `undefined` is as not said.
 *
 * @throws RalphError `library-argument` (exit code 2)
 */
export function checkWord(value: unknown, what: string, words: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return;
  throw createUnknown(`${what} cannot be ${toShown(value)}`, String(typeof value === 'string' ? value : ''), words);
}

/** True for a map of names, not for a list or a function. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createUnknown(wrong: string, given: string, known: readonly string[]): RalphError {
  const near = findNearMiss(given, known);
  return createError(`${wrong}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`, `Known: ${known.join(', ')}.`);
}

function createError(what: string, fix: string): RalphError {
  return new RalphError({
    code: 'library-argument',
    what,
    why: 'What is not understood is never replaced by a guess.',
    fix,
    exitCode: 2,
  });
}

function toShown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
}
