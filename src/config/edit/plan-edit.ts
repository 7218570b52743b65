import type { ListSubject, RepairChange } from '../../core/schema/finding.ts';
import {
  findPlace,
  isPseudoFile,
  type LocatedEntry,
  type LocatedList,
  type LocatedMap,
  type LocatedValue,
  type Path,
  type Place,
  rawText,
  readAt,
  type SourceFile,
  type Span,
  toSpan,
} from '../findings/located.ts';
import { locateItemWords, toListPath } from './locate-subject.ts';
import { colonAfter, endOfValue, indentAt, isWrittenInside, lineEndAfter, newlineOf, type TextEdit, toYamlWord } from './text-edit.ts';

/** Plans changes to the files of a configuration; `null` for one that cannot be made without touching more than is meant. */
export type EditPlanner = (place: Span, change: RepairChange) => TextEdit | null;

export function createEditPlanner(root: LocatedMap): EditPlanner {
  let index: ReadonlyMap<string, IndexedFile> | null = null;
  return (place, change) => {
    if (change.kind === 'add-item') return onlyEditable(planListItem(root, change.to, change.item));
    if (change.kind === 'set' && readAt(root, ['event_loop', change.key]) === undefined) return onlyEditable(planLoopKey(root, change));
    index ??= indexFiles(root);
    if (change.kind === 'set') {
      const value = findPlace(root, ['event_loop', change.key]);
      const holder = index.get(value.file.name);
      return holder === undefined ? null : onlyEditable(planReplacement(holder, toSpan(value), change.text));
    }
    const item = change.kind === 'replace-item' ? locateItemWords(root, change.at) : undefined;
    if (item === null) return null;
    const span = item === undefined ? place : toSpan(item);
    const file = index.get(span.file);
    return file === undefined ? null : onlyEditable(planReplacement(file, span, change.text));
  };
}

function planLoopKey(root: LocatedMap, { key, text }: Extract<RepairChange, { readonly kind: 'set' }>): TextEdit | null {
  const isThere = root.entries.has('event_loop');
  return planNewKey(root, isThere ? ['event_loop'] : [], isThere ? [key] : ['event_loop', key], toYamlWord(text));
}

/** Refuses changes to what was typed, to a variable and to a preset of this package: they are no files of the user. */
function onlyEditable(edit: TextEdit | null): TextEdit | null {
  return edit === null || isPseudoFile(edit.file) || edit.file.name.startsWith('preset:') ? null : edit;
}

interface IndexedFile {
  readonly file: SourceFile;
  /** The maps that hold the keys, by the offset of the key. */
  readonly keys: Map<number, LocatedMap>;
}

/** Replaces a whole word, in the quotes that are there; `true` and `false` get none. It never makes a key occur twice. */
function planReplacement({ file, keys }: IndexedFile, place: Span, text: string): TextEdit | null {
  const lineStart = file.lineStarts[place.line - 1];
  if (lineStart === undefined || place.line !== place.endLine) return null;
  const [start, end] = [lineStart + place.column - 1, lineStart + place.endColumn - 1];
  const written = file.text.slice(start, end);
  if (!isWhole(written) || written.includes('\n') || written.includes('${') || keys.get(start)?.entries.has(text) === true) return null;
  const isTruth = text === 'true' || text === 'false';
  return { file, start, end, text: isTruth ? text : toYamlWord(text, written) };
}

/** False for a part of a text that goes on in the next line. */
function isWhole(written: string): boolean {
  const [mark = ''] = written;
  return mark !== '"' && mark !== "'" ? written.trim() === written && written !== '' : written.length > 1 && written.endsWith(mark);
}

/** The files that a configuration was read from, by the name that is shown. */
function indexFiles(root: LocatedMap): ReadonlyMap<string, IndexedFile> {
  const files = new Map<string, IndexedFile>();
  const toIndexed = (file: SourceFile): IndexedFile => {
    const known = files.get(file.name) ?? { file, keys: new Map() };
    files.set(file.name, known);
    return known;
  };
  const pending: LocatedValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    toIndexed(value.place.file);
    if (value.kind === 'list') pending.push(...value.items);
    if (value.kind !== 'map') continue;
    for (const entry of value.entries.values()) {
      toIndexed(entry.key.file).keys.set(entry.key.start, value);
      pending.push(entry.value);
    }
  }
  return files;
}

/**
 * Plans to add an item to a list, in the style in which the list is written; a list that is not there is written too.
 * `null` where the item is there already, or where the change would reach others: a list behind an alias or `<<`.
 */
function planListItem(root: LocatedMap, to: ListSubject, item: string): TextEdit | null {
  const path: Path = to.kind === 'loop' ? ['event_loop', to.key] : toListPath(root, to.hat, to.list);
  const key = to.kind === 'loop' ? to.key : to.list;
  const isWritten = to.kind === 'loop' || path.length === 3;
  const steps = isWritten ? path : [...path, key];
  if (to.kind === 'hat-list' && findHat(root, to.hat) === undefined) return null;
  let map: LocatedMap = root;
  for (const [depth, step] of steps.entries()) {
    const entry = map.entries.get(String(step));
    if (entry === undefined)
      return planNewKey(root, steps.slice(0, depth).map(String), steps.slice(depth).map(String), `[${toYamlWord(item)}]`);
    if (!isWrittenInside(map, entry)) return null;
    if (depth === steps.length - 1) return addTo(entry, item);
    if (entry.value.kind !== 'map') {
      return planNewKey(root, steps.slice(0, depth + 1).map(String), steps.slice(depth + 1).map(String), `[${toYamlWord(item)}]`);
    }
    map = entry.value;
  }
  return null;
}

function findHat(root: LocatedMap, hat: string): LocatedEntry | undefined {
  const hats = root.entries.get('hats')?.value;
  return hats?.kind === 'map' ? hats.entries.get(hat) : undefined;
}

function addTo(entry: LocatedEntry, item: string): TextEdit | null {
  const { value } = entry;
  const { file } = entry.key;
  if (value.kind === 'list') return value.items.some((known) => isItem(known, item)) ? null : appendItem(file, value, item);
  const raw = rawText(value.place);
  if (value.kind === 'scalar' && value.value === null) return fillEmpty(entry, raw, item);
  const isSimple = value.kind === 'map' ? raw.startsWith('{') && raw.endsWith('}') : isQuoted(raw) || !/[,[\]{}#&*|>!]/.test(raw);
  if (!isSimple || raw.includes('\n') || isItem(value, item)) return null;
  return { file, start: value.place.start, end: value.place.end, text: `[${raw}, ${toYamlWord(item, raw)}]` };
}

/** `key:` with nothing, or with `~`. */
function fillEmpty(entry: LocatedEntry, raw: string, item: string): TextEdit | null {
  const { file } = entry.key;
  const list = `[${toYamlWord(item)}]`;
  if (raw !== '') return { file, start: entry.value.place.start, end: entry.value.place.end, text: list };
  const colon = colonAfter(entry.key);
  return colon === null ? null : { file, start: colon + 1, end: colon + 1, text: ` ${list}` };
}

function appendItem(file: SourceFile, list: LocatedList, item: string): TextEdit | null {
  const last = list.items.at(-1);
  const open = file.text[list.place.start];
  const word = toYamlWord(item, last === undefined ? '' : rawText(last.place));
  if (open === '[' && last === undefined) return insertAt(file, list.place.start + 1, word);
  // An item that stands further up is an alias.
  if (last === undefined || last.place.file !== file || last.place.start <= list.place.start) return null;
  if (open === '[') return { ...insertAt(file, endOfValue(last), `, ${word}`), isItem: true };
  const indent = indentAt(file, list.place.start);
  if (open !== '-' || indent === null) return null;
  const end = lineEndAfter(file, endOfValue(last));
  return { ...insertAt(file, end, `${newlineOf(file)}${indent}- ${word}`), isItem: true };
}

function insertAt(file: SourceFile, at: number, text: string): TextEdit {
  return { file, start: at, end: at, text };
}

function isItem(value: LocatedValue, item: string): boolean {
  return value.kind === 'scalar' && value.written === item;
}

function isQuoted(raw: string): boolean {
  return (raw.startsWith('"') && raw.endsWith('"')) || (raw.startsWith("'") && raw.endsWith("'"));
}

/** What may stand between the colon of a key and the end of its line: an anchor, a comment. */
const REST_OF_LINE = /^[ \t]*(?:&[^\s]+[ \t]*)?(?:#.*)?$/;
const STEP = '  ';

/**
 * Plans to write keys that are not there, each below the one before, the last one with a value; `above` are the names of the maps that
 * hold them, which are there.
 */
function planNewKey(root: LocatedMap, above: readonly string[], keys: readonly string[], value: string): TextEdit | null {
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

/** A new section goes to the end of the file that holds the hats. */
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

interface FoundSetting {
  readonly key: Place;
  readonly value: LocatedValue;
}

function find(root: LocatedMap, names: readonly string[]): FoundSetting | null {
  let found: FoundSetting = { key: root.place, value: root };
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
