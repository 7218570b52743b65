import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml';
import type { Diagnostic } from './diagnostic.ts';
import type { LocatedEntry, LocatedScalar, LocatedValue } from './located-value.ts';
import { MAX_DEPTH } from './read-documents.ts';
import { type Place, type SourceFile, toDiagnostic, toSpan } from './source-file.ts';
import { TEXT_FINDINGS } from './yaml-problems.ts';

/** The contents of a document, with places; `null` where aliases stand for too much. */
export interface LocatedContents {
  readonly value: LocatedValue | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** How many values aliases may stand for, all together. */
const MAX_ALIASED = 20_000;

interface Extent {
  readonly size: number;
  readonly depth: number;
}

/** Turns the nodes of a YAML document into located values: aliases and `<<` resolved, duplicate keys found, nothing cyclic. */
export function locateContents(contents: ParsedNode | null, file: SourceFile): LocatedContents {
  const reader = new ContentsReader(file);
  const value = contents === null ? emptyAt({ file, start: 0, end: 0 }) : reader.read(contents);
  if (!reader.exhausted) return { value, diagnostics: reader.diagnostics };
  return { value: null, diagnostics: [toDiagnostic(value.place, TEXT_FINDINGS.tooManyAliases)] };
}

class ContentsReader {
  readonly diagnostics: Diagnostic[] = [];
  exhausted = false;
  private readonly file: SourceFile;
  /** `null` while the anchored value is being read. */
  private readonly anchors = new Map<string, LocatedValue | null>();
  private readonly extents = new WeakMap<LocatedValue, Extent>();
  private aliased = 0;

  constructor(file: SourceFile) {
    this.file = file;
  }

  read(node: unknown): LocatedValue {
    if (isAlias(node)) return this.readAlias(node.source, this.placeOf(node));
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.anchors.set(anchor, null);
    const value = this.readPlain(node);
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private readPlain(node: unknown): LocatedValue {
    const place = this.placeOf(node);
    if (isMap(node)) return this.measured({ kind: 'map', entries: this.readEntries(node), place });
    if (isSeq(node)) return this.measured({ kind: 'list', items: node.items.map((item) => this.read(item)), place });
    return isScalar(node) ? this.measured(toScalar(node.value, node.source, place)) : emptyAt(place);
  }

  private readAlias(name: string, place: Place): LocatedValue {
    const value = this.anchors.get(name);
    if (value === undefined || value === null) {
      this.report(
        place,
        'yaml-alias',
        value === null ? `The value of \`&${name}\` holds itself.` : `There is no anchor \`&${name}\` before this alias.`,
      );
      return emptyAt(place);
    }
    const extent = this.extents.get(value);
    this.aliased += extent?.size ?? 1;
    if (this.aliased > MAX_ALIASED) this.exhausted = true;
    return this.exhausted ? emptyAt(place) : value;
  }

  private readEntries(map: YAMLMap): ReadonlyMap<string, LocatedEntry> {
    const entries = new Map<string, LocatedEntry>();
    const merged: LocatedValue[] = [];
    for (const pair of map.items) {
      const key = this.read(pair.key);
      const value = pair.value === null ? emptyAt({ ...key.place, start: key.place.end }) : this.read(pair.value);
      if (key.kind !== 'scalar') this.report(key.place, 'yaml-key', 'A key must be a plain text.');
      else if (isMergeKey(pair.key)) merged.push(value);
      else this.addEntry(entries, key, value);
    }
    for (const value of merged) this.mergeInto(entries, value);
    return entries;
  }

  private addEntry(entries: Map<string, LocatedEntry>, key: LocatedScalar, value: LocatedValue): void {
    const name = typeof key.value === 'string' ? key.value : key.written;
    const first = entries.get(name);
    if (first === undefined) {
      entries.set(name, { key: key.place, value });
      return;
    }
    this.diagnostics.push({
      ...toDiagnostic(key.place, {
        code: 'yaml-duplicate-key',
        severity: 'error',
        message: `The key ${JSON.stringify(name.slice(0, 80))} is there twice.`,
        why: 'One of the two values would be lost without a word.',
        fix: 'Put both together under one key, or remove one.',
      }),
      related: [{ ...toSpan(first.key), message: 'It is here first.' }],
    });
  }

  /** `<<`: what the map does not say itself is taken from another one. */
  private mergeInto(entries: Map<string, LocatedEntry>, value: LocatedValue): void {
    if (value.kind === 'map') {
      for (const [name, entry] of value.entries) if (!entries.has(name)) entries.set(name, entry);
    } else if (value.kind === 'list') {
      for (const item of value.items) this.mergeInto(entries, item);
    } else this.report(value.place, 'yaml-merge', '`<<` takes an alias of a map.');
  }

  private measured<Value extends LocatedValue>(value: Value): Value {
    const parts = value.kind === 'map' ? [...value.entries.values()].map((entry) => entry.value) : value.kind === 'list' ? value.items : [];
    let size = 1;
    let depth = 1;
    for (const part of parts) {
      const extent = this.extents.get(part);
      size += extent?.size ?? 1;
      depth = Math.max(depth, 1 + (extent?.depth ?? 1));
    }
    if (depth > MAX_DEPTH) this.exhausted = true;
    this.extents.set(value, { size, depth });
    return value;
  }

  private report(place: Place, code: string, message: string): void {
    const why = 'Without it the value cannot be known.';
    this.diagnostics.push(
      toDiagnostic(place, {
        code,
        severity: 'error',
        message,
        why,
        fix: 'Write the value out, or put a text that begins with `*`, `&` or `<<` in quotes.',
      }),
    );
  }

  private placeOf(node: unknown): Place {
    const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : null;
    return { file: this.file, start: range?.[0] ?? 0, end: range?.[1] ?? 0 };
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function emptyAt(place: Place): LocatedScalar {
  return { kind: 'scalar', value: null, written: '', place };
}

function toScalar(value: unknown, source: string | undefined, place: Place): LocatedScalar {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
  return { kind: 'scalar', value: known, written: source ?? (known === null ? '' : String(known)), place };
}
