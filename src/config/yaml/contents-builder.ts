import type { LocatedEntry, LocatedScalar, LocatedValue } from '../findings/located.ts';
import { type Diagnostic, type Place, type SourceFile, toDiagnostic, toSpan } from '../findings/located.ts';
import { TEXT_FINDINGS } from './yaml-problems.ts';

/** The contents of a document, with places; `null` where aliases stand for too much. */
export interface LocatedContents {
  readonly value: LocatedValue | null;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ScalarPart {
  readonly value: string | number | boolean | null;
  readonly written: string;
  readonly start: number;
  readonly end: number;
  readonly anchor: string | null;
  /** True for a `<<` without quotes. */
  readonly isMerge: boolean;
  /** True for `|` and `>`: its place ends with its last line that is not blank. */
  readonly isBlock: boolean;
}

/** Deeper nesting is refused: aliases of aliases count. */
export const MAX_DEPTH = 100;
/** How many values aliases may stand for, all together. */
const MAX_ALIASED = 20_000;

interface BuiltValue {
  readonly value: LocatedValue;
  readonly size: number;
  readonly depth: number;
}

interface PendingKey {
  readonly place: Place;
  /** `null` for a key that is no text. */
  readonly name: string | null;
  readonly isMerge: boolean;
}

interface Frame {
  readonly entries: Map<string, LocatedEntry> | null;
  readonly items: LocatedValue[];
  readonly anchor: string | null;
  readonly merged: LocatedValue[];
  start: number;
  key: PendingKey | null;
  size: number;
  depth: number;
  end: number;
}

/**
 * Builds located values from the parts of a document in the order of the text: aliases and `<<` are resolved, duplicate keys found,
 * and cycles refused. It keeps its own stack.
 */
export class ContentsBuilder {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #file: SourceFile;
  /** `null` while the anchored value is being read. */
  readonly #anchors = new Map<string, BuiltValue | null>();
  readonly #frames: Frame[] = [];
  #top: Frame | null = null;
  #root: LocatedValue | null = null;
  #aliased = 0;
  #exhausted = false;

  constructor(file: SourceFile) {
    this.#file = file;
  }

  /** True where the next part is a key. */
  expectsKey(): boolean {
    return this.#top !== null && this.#top.entries !== null && this.#top.key === null;
  }

  /** True where the next part is the value of a key. */
  expectsValue(): boolean {
    return this.#top !== null && this.#top.key !== null;
  }

  open(kind: 'map' | 'list', start: number, anchor: string | null): void {
    if (anchor !== null) this.#anchors.set(anchor, null);
    const entries = kind === 'map' ? new Map<string, LocatedEntry>() : null;
    this.#top = { entries, items: [], anchor, merged: [], start, key: null, size: 1, depth: 1, end: start };
    this.#frames.push(this.#top);
  }

  /** Ends the map or list that was begun last; in block style, where no end is given, with its last part. */
  close(end?: number): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#top = this.#frames.at(-1) ?? null;
    if (frame.depth > MAX_DEPTH) this.#exhausted = true;
    for (const value of frame.merged) if (frame.entries !== null) this.#mergeInto(frame.entries, value);
    const place = this.#placeAt(frame.start, end ?? frame.end);
    const value: LocatedValue =
      frame.entries === null ? { kind: 'list', items: frame.items, place } : { kind: 'map', entries: frame.entries, place };
    this.#finish({ value, size: frame.size, depth: frame.depth }, frame.anchor, place);
  }

  addScalar({ value, written, start, end, anchor, isMerge, isBlock }: ScalarPart): void {
    const place = this.#placeAt(start, isBlock ? this.#trimEnd(start, end) : end);
    this.#finish({ value: { kind: 'scalar', value, written, place }, size: 1, depth: 1 }, anchor, place, isMerge);
  }

  addEmpty(at: number): void {
    const place = this.#placeAt(at, at);
    this.#finish({ value: emptyAt(place), size: 1, depth: 1 }, null, place);
  }

  addAlias(name: string, start: number, end: number): void {
    const place = this.#placeAt(start, end);
    this.#finish(this.#resolveAlias(name, place), null, place);
  }

  finished(): LocatedContents {
    const value = this.#root ?? emptyAt(this.#placeAt(0, 0));
    if (!this.#exhausted) return { value, diagnostics: this.#diagnostics };
    return { value: null, diagnostics: [toDiagnostic(value.place, TEXT_FINDINGS.tooManyAliases)] };
  }

  #resolveAlias(name: string, place: Place): BuiltValue {
    const known = this.#anchors.get(name);
    if (known === undefined || known === null) {
      const message = known === null ? `The value of \`&${name}\` holds itself.` : `There is no anchor \`&${name}\` before this alias.`;
      this.#report(place, 'yaml-alias', message);
      return { value: emptyAt(place), size: 1, depth: 1 };
    }
    this.#aliased += known.size;
    if (this.#aliased > MAX_ALIASED) this.#exhausted = true;
    return this.#exhausted ? { value: emptyAt(place), size: 1, depth: 1 } : known;
  }

  /** Adds a complete part to what it is in. `place` is where it is written: for an alias the place of the alias. */
  #finish(part: BuiltValue, anchor: string | null, place: Place, isMerge = false): void {
    if (anchor !== null) this.#anchors.set(anchor, part);
    const top = this.#top;
    if (top === null) {
      this.#root = part.value;
      return;
    }
    top.end = place.end;
    top.size += part.size;
    top.depth = Math.max(top.depth, part.depth + 1);
    if (top.entries === null) top.items.push(part.value);
    else if (top.key === null) top.key = this.#toKey(part.value, place, isMerge);
    else this.#addValue(top, top.entries, top.key, part.value);
  }

  #toKey(value: LocatedValue, place: Place, isMerge: boolean): PendingKey {
    if (value.kind === 'scalar') return { place, name: typeof value.value === 'string' ? value.value : value.written, isMerge };
    this.#report(place, 'yaml-key', 'A key must be a plain text.');
    return { place, name: null, isMerge: false };
  }

  #addValue(frame: Frame, entries: Map<string, LocatedEntry>, key: PendingKey, value: LocatedValue): void {
    frame.key = null;
    if (key.isMerge) frame.merged.push(value);
    else if (key.name !== null) this.#addEntry(entries, key.name, key.place, value);
  }

  #addEntry(entries: Map<string, LocatedEntry>, name: string, key: Place, value: LocatedValue): void {
    const first = entries.get(name);
    if (first === undefined) {
      entries.set(name, { key, value });
      return;
    }
    this.#diagnostics.push({
      ...toDiagnostic(key, {
        code: 'yaml-duplicate-key',
        severity: 'error',
        message: `The key ${JSON.stringify(name.slice(0, 80))} is there twice.`,
        why: 'One of the two values would be lost without a word.',
        fix: 'Put both together under one key, or remove one.',
      }),
      related: [{ ...toSpan(first.key), message: 'It is here first.' }],
    });
  }

  /** `<<`: a map takes the keys that it lacks from another one. */
  #mergeInto(entries: Map<string, LocatedEntry>, value: LocatedValue): void {
    if (value.kind === 'map') {
      for (const [name, entry] of value.entries) if (!entries.has(name)) entries.set(name, entry);
    } else if (value.kind === 'list') {
      for (const item of value.items) this.#mergeInto(entries, item);
    } else this.#report(value.place, 'yaml-merge', '`<<` takes an alias of a map.');
  }

  #report(place: Place, code: string, message: string): void {
    const why = 'Without it the value cannot be known.';
    const fix = 'Write the value out, or put a text that begins with `*`, `&` or `<<` in quotes.';
    this.#diagnostics.push(toDiagnostic(place, { code, severity: 'error', message, why, fix }));
  }

  #trimEnd(start: number, end: number): number {
    let at = end;
    while (at > start && ' \t\r\n'.includes(this.#file.text[at - 1] ?? '')) at -= 1;
    return at;
  }

  #placeAt(start: number, end: number): Place {
    return { file: this.#file, start, end };
  }
}

function emptyAt(place: Place): LocatedScalar {
  return { kind: 'scalar', value: null, written: '', place };
}
