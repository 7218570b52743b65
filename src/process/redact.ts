import type { SecretValue } from '../core/text/secrets.ts';
import type { Environment } from '../core/values/environment.ts';
import type { Redaction, StreamRedactor } from '../ports/redaction.ts';
import { findSecretValues, TOKEN_SHAPES, type TokenShape } from './find-secrets.ts';

/** Puts a mark in the place of every secret in a text. */
export type Redactor = (text: string) => string;

/** A value of the environment in one spelling. */
interface Spelling {
  readonly name: string;
  /** In small letters: found in the text without its ends of lines wherever the pattern is in the text, and looking for it is quick. */
  readonly literal: string;
  readonly toPattern: () => RegExp;
}

/** Between two characters of a value: an end of line, with the number that `read_file` puts in front of the next. */
const LINE_BREAK = '\\r{0,9}\\n[ \\t]{0,8}(?:\\d{1,9}(?::\\d{1,9})?\\t)?';
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');
/** Between what is shown of a line that was cut and the number of what is missing: see `cutLine`. */
const CUT_MARK = '[… ';
/** Shorter beginnings of a secret are worth nothing. */
const MIN_CUT_CHARS = 6;
const MAX_CUT_CHARS = 1024;
/** Every spelling of a secret is at least that long: its beginning is what a text is searched for. */
const PREFIX_CHARS = 6;
const PREFIX_HASHES = 1 << 16;
/** So many are looked for one by one as quickly. */
const FEW_SPELLINGS = 200;

/**
 * A redactor for the secrets that variables of the environment hold (`[redacted: ANTHROPIC_API_KEY]`) and for whatever looks like a well-known
 * token. Values are found as they are, over ends of lines, and as base64, hexadecimal digits, percent codes and JSON strings. It is the last of
 * several measures, not a wall: a program that is told to can spell a secret in a way that is not known here.
 *
 * @param env its secrets are told by their names
 * @param named what is secret whatever it is called
 */
export function createRedactor(env: Environment, named: readonly SecretValue[] = []): Redactor {
  return toRedactor(findSecretValues(env, named), TOKEN_SHAPES);
}

/**
 * Takes the values of secrets out of all that agents and people say to a run, and nothing else: a text without one stays as it is, with its colours. What only looks
 * like a token stays too: between hats it may be what the work is about. `null` where there are no secrets.
 *
 * @param env its secrets are told by their names
 * @param named what is secret whatever it is called
 */
export function createRedaction(env: Environment, named: readonly SecretValue[] = []): Redaction | null {
  const secrets = findSecretValues(env, named);
  if (secrets.length === 0) return null;
  const redact = toRedactor(secrets, []);
  const text = (given: string): string => {
    const plain = stripHidden(given);
    const redacted = redact(plain);
    return redacted === plain ? given : redacted;
  };
  return { text, stream: () => createStreamRedactor(text, secrets) };
}

/** What may be the beginning of a secret waits for the next piece; values only, in their own spelling. */
function createStreamRedactor(redact: Redactor, secrets: readonly SecretValue[]): StreamRedactor {
  let held = '';
  return {
    push: (piece) => {
      const text = held + piece;
      const heldChars = Math.max(...secrets.map(({ value }) => countBegun(text, value)));
      held = heldChars === 0 ? '' : text.slice(-heldChars);
      return redact(text.slice(0, text.length - heldChars));
    },
    end: () => {
      const rest = redact(held);
      held = '';
      return rest;
    },
  };
}

/** How many characters at the end of a text are the beginning of a value, or all of it: what follows may show that it is a part of a longer word. */
function countBegun(text: string, value: string): number {
  const first = value.charAt(0);
  const from = Math.max(0, text.length - value.length);
  for (let at = text.indexOf(first, from); at !== -1; at = text.indexOf(first, at + 1)) {
    if (value.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}

function toRedactor(secrets: readonly SecretValue[], shapes: readonly TokenShape[]): Redactor {
  const findSpellings = createSpellingFinder(secrets.flatMap(toSpellings));
  return (text) => {
    const shown = redactPlain(stripHidden(text));
    // Where there is none, marks of direction and joiners stay in the text.
    return shown === stripHidden(text) ? stripColours(text) : shown;
  };
  // What is left out later must not hide a secret now.
  function redactPlain(text: string): string {
    let redacted = text;
    let flat = toFlat(redacted);
    for (const { name, literal, toPattern } of findSpellings(flat)) {
      if (!flat.includes(literal)) continue;
      redacted = redacted.replace(toPattern(), () => toMark(name));
      flat = toFlat(redacted);
    }
    for (const shape of shapes) redacted = redactShape(redacted, shape);
    return redactCutEnds(redacted, secrets);
  }
}

/** Finds which spellings a text may have, in their order: of many, in one look at the text, so that the time hardly depends on how many there are. */
function createSpellingFinder(spellings: readonly Spelling[]): (flat: string) => readonly Spelling[] {
  if (spellings.length <= FEW_SPELLINGS) return () => spellings;
  const isPrefix = new Uint8Array(PREFIX_HASHES);
  const byPrefix = new Map<string, Spelling[]>();
  for (const spelling of spellings) {
    const prefix = spelling.literal.slice(0, PREFIX_CHARS);
    isPrefix[toPrefixHash(prefix, 0)] = 1;
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), spelling]);
  }
  return (flat) => {
    const found = new Set<Spelling>();
    for (let at = 0; at <= flat.length - PREFIX_CHARS; at += 1) {
      if (isPrefix[toPrefixHash(flat, at)] === 0) continue;
      for (const spelling of byPrefix.get(flat.slice(at, at + PREFIX_CHARS)) ?? [])
        if (!found.has(spelling) && flat.startsWith(spelling.literal, at)) found.add(spelling);
    }
    return found.size === 0 ? [] : spellings.filter((spelling) => found.has(spelling));
  };
}

function toPrefixHash(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + PREFIX_CHARS; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return (hash ^ (hash >>> 16)) & (PREFIX_HASHES - 1);
}

/** Tools cut long lines, maybe in the middle of a secret: its beginning in front of the mark goes as well. */
function redactCutEnds(text: string, secrets: readonly SecretValue[]): string {
  const pieces = text.split(CUT_MARK);
  return pieces.map((piece, index) => (index === pieces.length - 1 ? piece : redactEnd(piece, secrets))).join(CUT_MARK);
}

function redactEnd(piece: string, secrets: readonly SecretValue[]): string {
  const end = piece.slice(-MAX_CUT_CHARS);
  for (const { name, value } of secrets) {
    const chars = countBegun(end, value);
    if (chars >= MIN_CUT_CHARS) return piece.slice(0, -chars) + toMark(name);
  }
  return piece;
}

function toMark(label: string): string {
  return `[redacted: ${label}]`;
}

function redactShape(text: string, { label, pattern, isToken }: TokenShape): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const kept = isGroups(groups) ? (groups['keep'] ?? '') : '';
    const token = match.slice(kept.length);
    return isToken?.(token) === false ? match : kept + toMark(label);
  });
}

function isGroups(value: unknown): value is Readonly<Record<string, string | undefined>> {
  return typeof value === 'object' && value !== null;
}

/** A text as it is searched at first: without ends of lines, without case. */
function toFlat(text: string): string {
  return text.replace(LINE_BREAKS, '').toLowerCase();
}

/** The ways in which a value may turn up. What is no more than a word counts only where it stands alone. */
function toSpellings({ name, value }: SecretValue): readonly Spelling[] {
  const bytes = Buffer.from(value);
  const isWord = /^(?:[a-z]+|[A-Z]+|\d+)$/.test(value) && value.length < 16;
  const plain = [...new Set([value, toPercentCodes(value), JSON.stringify(value).slice(1, -1)])];
  const base64 = [0, 1, 2].map((offset) => toBase64Part(bytes, offset));
  return [
    ...plain.map((literal) => toSpelling(name, literal, isWord)),
    ...base64.map((literal) => toSpelling(name, literal, false)),
    ...base64
      .filter((literal) => /[+/]/.test(literal))
      .map((literal) => toSpelling(name, literal.replaceAll('+', '-').replaceAll('/', '_'), false)),
    toSpelling(name, bytes.toString('hex'), false, 'gi'),
  ];
}

function toSpelling(name: string, literal: string, isWord: boolean, flags = 'g'): Spelling {
  let pattern: RegExp | null = null;
  const toPattern = (): RegExp => {
    pattern ??= createPattern(literal, isWord, flags);
    return pattern;
  };
  return { name, literal: literal.toLowerCase(), toPattern };
}

function createPattern(literal: string, isWord: boolean, flags: string): RegExp {
  const source = [...literal].map((character) => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')).join(`(?:${LINE_BREAK})?`);
  return new RegExp(isWord ? `(?<![A-Za-z0-9])${source}(?![A-Za-z0-9])` : source, flags);
}

function toPercentCodes(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** What is the same in the base64 of every text that holds the bytes at a place that leaves `offset` when divided by three. */
function toBase64Part(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** What nobody sees: marks of direction, joiners, spaces of no width, controls; not the ends of lines, and not a mark for what was taken out before. */
const HIDDEN = /(?![\n\r\t])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;

/** A text without anything that could stand unseen within a secret. */
function stripHidden(text: string): string {
  return stripColours(text).replace(HIDDEN, '');
}

/** A text without codes for colours, and with a mark for every other escape: doing it twice finds no code that the first time has put together. */
export function stripColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with one
  return text.replace(/\u001B\[[0-9;:]{0,64}m/g, '').replaceAll('\u001B', '\uFFFD');
}
