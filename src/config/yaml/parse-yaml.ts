import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { RalphError } from '../../core/values/errors.ts';
import type { Json, JsonObject } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';
import { hasErrors, renderDiagnostics } from '../findings/diagnostics.ts';
import {
  createEmptyMap,
  createSourceFile,
  type Diagnostic,
  type LocatedMap,
  type LocatedValue,
  type SourceFile,
  toDiagnostic,
} from '../findings/located.ts';
import { ContentsBuilder, type LocatedContents } from './contents-builder.ts';
import { readByLibrary } from './read-by-library.ts';
import { TEXT_FINDINGS } from './yaml-problems.ts';

/** A configuration file as it was read. */
export interface ParsedYaml {
  /** `null` where the text is no YAML or not a map; an empty text is an empty map. */
  readonly root: LocatedMap | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a text as one YAML document. Never throws: every mistake is a finding with its place. */
export function parseYaml(file: SourceFile): ParsedYaml {
  const contents = readFast(file);
  return contents === null ? parseYamlByLibrary(file) : toParsed(file, contents);
}

/** The same by the library alone: slower, for any text, and the measure of what the fast reader returns. */
export function parseYamlByLibrary(file: SourceFile): ParsedYaml {
  return toParsed(file, readByLibrary(file));
}

function toParsed(file: SourceFile, { value, diagnostics }: LocatedContents): ParsedYaml {
  if (value === null || value.kind === 'map') return { root: value, diagnostics };
  if (value.kind === 'scalar' && value.value === null) {
    return { root: createEmptyMap({ file, start: 0, end: 0 }), diagnostics };
  }
  return { root: null, diagnostics: [...diagnostics, toDiagnostic(value.place, TEXT_FINDINGS.noMap)] };
}

/**
 * Reads a YAML text whose top is a map as plain values, by the same rules as a configuration file.
 *
 * @param name how the text is called in findings
 * @throws RalphError `yaml-invalid` (exit code 2) with every finding and its place
 */
export function parseYamlText(text: string, name: string): JsonObject {
  const { root, diagnostics } = parseYaml(createSourceFile(name, '', text));
  if (root !== null && !hasErrors(diagnostics)) return toObject(root.entries);
  throw new RalphError({ code: 'yaml-invalid', what: `${name} cannot be read as YAML.`, fix: renderDiagnostics(diagnostics), exitCode: 2 });
}

function toJson(value: LocatedValue): Json {
  if (value.kind === 'scalar') return value.value;
  return value.kind === 'list' ? value.items.map(toJson) : toObject(value.entries);
}

function toObject(entries: LocatedMap['entries']): JsonObject {
  return Object.fromEntries([...entries].map(([key, entry]) => [key, toJson(entry.value)]));
}

/** Deeper nesting is left to the library, which reports it. */
const MAX_PLAIN_DEPTH = 40;
/** Longer keys are left to the library, which refuses some. */
const MAX_PLAIN_KEY = 1000;

/** Directives, end marks, lines of tabs, byte order marks, lone carriage returns: two parsers may read them in two ways. */
const UNUSUAL = /^%|^\.\.\.|^ *\t[ \t]*\r?$|\uFEFF|\r(?!\n)/m;
/** The same, before the first key. */
const UNUSUAL_START = /^\s*[%\t]|^ +---/;

/**
 * Reads a text that has nothing unusual in it, in a tenth of the time that the library takes; `null` for any other text: one with mistakes,
 * tags, several documents, keys that are no plain text. What it reads, it reads as the library does, places included.
 */
export function readFast(file: SourceFile): LocatedContents | null {
  if (UNUSUAL.test(file.text) || UNUSUAL_START.test(file.text)) return null;
  const events = tryOr(() => parseEvents(file.text, { maxDepth: MAX_PLAIN_DEPTH }), null);
  return events === null ? null : new EventReader(file, events).read();
}

class EventReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #builder: ContentsBuilder;
  /** For each open collection its closing bracket; '' in block style. */
  readonly #brackets: string[] = [];
  /** The end of what was read last. */
  #cursor = 0;

  constructor(file: SourceFile, events: readonly Event[]) {
    this.#text = file.text;
    this.#events = events;
    this.#builder = new ContentsBuilder(file);
  }

  read(): LocatedContents | null {
    let documents = 0;
    for (const [index, event] of this.#events.entries()) {
      if (event.type === EVENT_ID.DOCUMENT) documents += 1;
      else if (!this.#readEvent(event, index)) return null;
    }
    return documents > 1 ? null : this.#builder.finished();
  }

  /** Reads one event; false for one that is left to the library. */
  #readEvent(event: Event, index: number): boolean {
    switch (event.type) {
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return this.#open(event, this.#events[index + 1]);
      case EVENT_ID.SCALAR:
        return event.tagStart < 0 && this.#addScalar(event);
      case EVENT_ID.ALIAS:
        return this.#addAlias(event.anchorStart, event.anchorEnd);
      case EVENT_ID.POP:
        return this.#close();
      case EVENT_ID.DOCUMENT:
        return false;
    }
  }

  #open(event: MappingEvent | SequenceEvent, next: Event | undefined): boolean {
    if (event.tagStart >= 0 || this.#builder.expectsKey()) return false;
    const isMap = event.type === EVENT_ID.MAPPING;
    const bracket = this.#toBracket(event, isMap);
    // A pair in a list, `[a: b]`, is a map without brackets; that of a key with brackets begins where the key does.
    const isPair = bracket === undefined || (next?.type === EVENT_ID.MAPPING && next.start === event.start);
    // A map that does not begin with its first key has a `?`, a `:`, or an anchor at the key.
    const isUnusual = bracket === '' && isMap && (next?.type !== EVENT_ID.SCALAR || toStart(next) !== event.start);
    if (isPair || isUnusual) return false;
    const anchor = this.#toAnchor(event);
    if (anchor?.endsWith(':') === true) return false;
    this.#builder.open(isMap ? 'map' : 'list', event.start, anchor);
    this.#brackets.push(bracket);
    this.#cursor = bracket === '' ? event.start : event.start + 1;
    return true;
  }

  /** The closing bracket, '' in block style, `undefined` for a collection in flow style that does not begin with a bracket. */
  #toBracket(event: MappingEvent | SequenceEvent, isMap: boolean): string | undefined {
    if (event.style !== COLLECTION_STYLE.FLOW) return '';
    const [opening, closing] = isMap ? ['{', '}'] : ['[', ']'];
    return this.#text[event.start] === opening ? closing : undefined;
  }

  #close(): boolean {
    const bracket = this.#brackets.pop();
    if (bracket === undefined || bracket === '') {
      // The document itself is the last to be closed.
      if (bracket === '') this.#builder.close();
      return true;
    }
    let at = this.#skipGap(this.#cursor);
    if (this.#text[at] === ',') at = this.#skipGap(at + 1);
    if (this.#text[at] !== bracket) return false;
    this.#cursor = at + 1;
    this.#builder.close(this.#cursor);
    return true;
  }

  #addAlias(start: number, end: number): boolean {
    if (this.#builder.expectsKey() || this.#brackets.length === 0 || this.#text[end - 1] === ':') return false;
    this.#builder.addAlias(this.#text.slice(start, end), start - 1, end);
    this.#cursor = end;
    return true;
  }

  #addScalar(event: ScalarEvent): boolean {
    if (event.valueStart < 0) return this.#addEmpty(event);
    const isKey = this.#builder.expectsKey();
    const anchor = this.#toAnchor(event);
    if (this.#brackets.length === 0 || (anchor !== null && (isKey || anchor.endsWith(':')))) return false;
    const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    const start = isBlock ? this.#findIndicator(event) : toStart(event);
    if (start < 0) return false;
    const end = isQuoted(event) ? event.valueEnd + 1 : event.valueEnd;
    const written = getScalarValue(this.#text, event);
    // Where a text holds nothing but blank lines, the parsers keep different numbers of them.
    if (isBlock && written !== '' && written.trim() === '') return false;
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const value = isPlain ? resolveScalar(written) : written;
    this.#builder.addScalar({ value, written, start, end, anchor, isMerge: isPlain && written === '<<', isBlock });
    this.#cursor = end;
    return !isKey || this.#isPlainKey(start, end);
  }

  /** True where the `:` of a key in block style follows on the same line. */
  #isPlainKey(start: number, end: number): boolean {
    if (end - start > MAX_PLAIN_KEY) return false;
    if (this.#brackets.at(-1) !== '') return true;
    this.#cursor = this.#skipSpaces(end);
    if (this.#text[this.#cursor] !== ':') return false;
    this.#cursor += 1;
    return true;
  }

  /** An empty value stands behind the `:` or `-` and the spaces after it. */
  #addEmpty(event: ScalarEvent): boolean {
    // A document without contents.
    if (this.#brackets.length === 0) return event.anchorStart < 0;
    if (event.anchorStart >= 0 || this.#builder.expectsKey()) return false;
    const at = this.#findEmpty();
    if (at < 0) return false;
    this.#builder.addEmpty(at);
    this.#cursor = at;
    return true;
  }

  #findEmpty(): number {
    if (this.#brackets.at(-1) === '') {
      // In a map the cursor is behind the `:` already.
      if (this.#builder.expectsValue()) return this.#skipSpaces(this.#cursor);
      const dash = this.#skipGap(this.#cursor);
      return this.#text[dash] === '-' ? this.#skipSpaces(dash + 1) : -1;
    }
    const colon = this.#skipGap(this.#cursor);
    return this.#text[colon] === ':' ? this.#skipSpaces(colon + 1) : this.#cursor;
  }

  /** Where the `|` or `>` of a text in block style is; -1 where something unusual stands before it. */
  #findIndicator(event: ScalarEvent): number {
    let at = event.anchorEnd;
    if (at < 0) {
      at = this.#skipGap(this.#cursor);
      if (!this.#builder.expectsValue() && this.#text[at] === '-') at += 1;
    }
    at = this.#skipGap(at);
    const header = this.#text.slice(at, at + 3);
    // With an explicit indentation (`|2`) the library drops blank lines at the end in a way of its own.
    return /^[|>](?![-+]?\d)/.test(header) ? at : -1;
  }

  #toAnchor({ anchorStart, anchorEnd }: ScalarEvent | MappingEvent | SequenceEvent): string | null {
    return anchorStart < 0 ? null : this.#text.slice(anchorStart, anchorEnd);
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text[at] === ' ' || this.#text[at] === '\t') at += 1;
    return at;
  }

  /** Skips white space, line ends and comments. */
  #skipGap(from: number): number {
    const text = this.#text;
    for (let at = from; ; at += 1) {
      const character = text[at];
      if (character === '#') {
        const end = text.indexOf('\n', at);
        if (end < 0) return text.length;
        at = end;
      } else if (character !== ' ' && character !== '\n' && character !== '\t' && character !== '\r') return at;
    }
  }
}

function isQuoted({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

function toStart(event: ScalarEvent): number {
  return isQuoted(event) ? event.valueStart - 1 : event.valueStart;
}

/** How every number begins. */
const NUMERIC = /^[-+.0-9]/;
const INTEGER = /^[-+]?[0-9]+$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]+$/;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['', null],
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);

/** What a plain scalar means by the core schema of YAML 1.2, in which `yes` and `on` are texts. */
function resolveScalar(text: string): string | number | boolean | null {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  return NUMERIC.test(text) ? toNumber(text) : text;
}

/** The number that a text stands for; a text that only begins like one as it is. */
function toNumber(text: string): string | number {
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  if (OCTAL.test(text)) return Number.parseInt(text.slice(2), 8);
  if (HEXADECIMAL.test(text)) return Number.parseInt(text.slice(2), 16);
  if (DECIMAL.test(text)) return Number.parseFloat(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return NOT_A_NUMBER.test(text) ? Number.NaN : text;
}
