import type { RepairChange } from '../core/index.ts';
import { planNewKey } from './add-key.ts';
import { planListItem } from './add-list-item.ts';
import type { Span } from './diagnostic.ts';
import { locateItemWords } from './locate-subject.ts';
import { findPlace, type LocatedMap, type LocatedValue, readAt } from './located-value.ts';
import { isPseudoFile } from './pseudo-file.ts';
import { type SourceFile, toSpan } from './source-file.ts';
import type { TextEdit } from './text-edit.ts';
import { toYamlWord } from './yaml-word.ts';

/** Plans changes to the files of a configuration; `null` for one that cannot be made without touching more than is meant. */
export type EditPlanner = (place: Span, change: RepairChange) => TextEdit | null;

/** A planner for a configuration as it was read. */
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

/** What was typed, a variable and a preset of this package are no files of the user's. */
function onlyEditable(edit: TextEdit | null): TextEdit | null {
  return edit === null || isPseudoFile(edit.file) || edit.file.name.startsWith('preset:') ? null : edit;
}

/** A file that a configuration was read from. */
interface IndexedFile {
  readonly file: SourceFile;
  /** The maps that hold the keys, by the offset of the key. */
  readonly keys: Map<number, LocatedMap>;
}

/** Puts a word in the place of a whole one, in the quotes that are there; a truth value goes without. A key is not made to be there twice. */
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
