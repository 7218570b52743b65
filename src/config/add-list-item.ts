import type { ListSubject } from '../core/index.ts';
import { planNewKey } from './add-key.ts';
import { toListPath } from './locate-subject.ts';
import type { LocatedEntry, LocatedList, LocatedMap, LocatedValue, Path } from './located-value.ts';
import type { SourceFile } from './source-file.ts';
import type { TextEdit } from './text-edit.ts';
import { colonAfter, endOf, indentAt, isOwn, lineEndAfter, newlineOf, rawText } from './yaml-layout.ts';
import { toYamlWord } from './yaml-word.ts';

/**
 * Plans to add an item to a list of a configuration, in the manner in which the list is written; where there is no such list it is
 * written too. `null` where the item is there already, or where the change would reach others: a list behind an alias or `<<`.
 */
export function planListItem(root: LocatedMap, to: ListSubject, item: string): TextEdit | null {
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
    if (!isOwn(map, entry)) return null;
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
  if (open === '[') return { ...insertAt(file, endOf(last), `, ${word}`), isItem: true };
  const indent = indentAt(file, list.place.start);
  if (open !== '-' || indent === null) return null;
  const end = lineEndAfter(file, endOf(last));
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
