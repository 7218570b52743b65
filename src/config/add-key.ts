import type { LocatedMap, LocatedValue } from './located-value.ts';
import type { Place, SourceFile } from './source-file.ts';
import type { TextEdit } from './text-edit.ts';
import { colonAfter, indentAt, lineEndAfter, newlineOf, rawText } from './yaml-layout.ts';

/** What may stand between the colon of a key and the end of its line: an anchor, a comment. */
const REST_OF_LINE = /^[ \t]*(?:&[^\s]+[ \t]*)?(?:#.*)?$/;
const STEP = '  ';

/**
 * Plans to write keys that are not there, each below the one before, the last one with a value; `above` are the names of the maps that
 * hold them, which are there.
 */
export function planNewKey(root: LocatedMap, above: readonly string[], keys: readonly string[], value: string): TextEdit | null {
  if (above.length === 0) return planTopKey(root, keys, value);
  const parent = find(root, above);
  if (parent === null) return null;
  const { file } = parent.key;
  if (parent.value.kind === 'map' && isFlow(parent.value)) return insertIntoFlow(parent.value, toFlow(keys, value));
  const indent = parent.value.kind === 'map' ? indentOfFirst(parent.value, file) : indentBelow(parent.key, parent.value);
  const colon = colonAfter(parent.key);
  if (indent === null || colon === null) return null;
  const at = lineEndAfter(file, colon);
  if (!REST_OF_LINE.test(file.text.slice(colon + 1, at))) return null;
  return { file, start: at, end: at, text: toBlock(file, indent, keys, value) };
}

/** At the end of the file that holds the hats. */
function planTopKey(root: LocatedMap, keys: readonly string[], value: string): TextEdit | null {
  const first = root.entries.get('hats') ?? [...root.entries.values()][0];
  if (first === undefined) return null;
  const { file } = first.key;
  if (root.place.file === file && isFlow(root)) return insertIntoFlow(root, toFlow(keys, value));
  const indent = indentAt(file, first.key.start);
  if (indent === null || /^(---|\.\.\.)/m.test(file.text.slice(first.key.end))) return null;
  const newline = newlineOf(file);
  const block = toBlock(file, indent, keys, value).slice(newline.length);
  const text = `${file.text === '' || file.text.endsWith('\n') ? '' : newline}${block}${newline}`;
  return { file, start: file.text.length, end: file.text.length, text };
}

interface Found {
  readonly key: Place;
  readonly value: LocatedValue;
}

function find(root: LocatedMap, names: readonly string[]): Found | null {
  let found: Found = { key: root.place, value: root };
  for (const name of names) {
    const entry = found.value.kind === 'map' ? found.value.entries.get(name) : undefined;
    if (entry === undefined) return null;
    found = entry;
  }
  return found;
}

function isFlow(map: LocatedMap): boolean {
  return map.place.file.text[map.place.start] === '{';
}

function insertIntoFlow(map: LocatedMap, text: string): TextEdit {
  const at = map.place.start + 1;
  return { file: map.place.file, start: at, end: at, text: map.entries.size === 0 ? text : `${text}, ` };
}

/** The indentation of the entries of a map that are written in it. */
function indentOfFirst(map: LocatedMap, file: SourceFile): string | null {
  let first: Place | null = null;
  for (const { key } of map.entries.values()) {
    if (key.file === file && key.start >= map.place.start && (first === null || key.start < first.start)) first = key;
  }
  return first === null ? null : indentAt(file, first.start);
}

/** The indentation below a key that has no value yet. */
function indentBelow(key: Place, value: LocatedValue): string | null {
  if (value.kind !== 'scalar' || value.value !== null || rawText(value.place) !== '') return null;
  const indent = indentAt(key.file, key.start);
  return indent === null ? null : indent + STEP;
}

function toFlow(keys: readonly string[], value: string): string {
  return keys.reduceRight((inner, key, index) => (index === keys.length - 1 ? `${key}: ${inner}` : `${key}: {${inner}}`), value);
}

/** Lines that begin with a line break. */
function toBlock(file: SourceFile, indent: string, keys: readonly string[], value: string): string {
  const lines = keys.map((key, depth) => `${indent}${STEP.repeat(depth)}${key}:${depth === keys.length - 1 ? ` ${value}` : ''}`);
  return lines.map((line) => newlineOf(file) + line).join('');
}
