import type { LocatedEntry, LocatedMap, LocatedValue, Place, SourceFile } from '../findings/located.ts';

/** A change to the text of a file: what stands from `start` to `end` gives way to `text`. */
export interface TextEdit {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** True for a new last item of a list: others may follow it at the same place. */
  readonly isItem?: boolean;
}

/** Makes changes to a text, all of them planned against the text as it is. Where two overlap, the first wins; different items at the end of one list follow each other. */
export function applyEdits(text: string, edits: readonly TextEdit[]): { readonly text: string; readonly applied: readonly TextEdit[] } {
  const ordered = edits.map((edit, rank) => ({ edit, rank })).sort((a, b) => a.edit.start - b.edit.start || a.rank - b.rank);
  const applied: TextEdit[] = [];
  const parts: string[] = [];
  let done = 0;
  let items = new Set<string>();
  for (const { edit } of ordered) {
    const before = applied.at(-1);
    if (before !== undefined && (edit.start < before.end || (edit.start === before.start && !isFurther(edit, before, items)))) continue;
    if (edit.start !== before?.start) items = new Set();
    items.add(edit.text);
    parts.push(text.slice(done, edit.start), edit.text);
    done = edit.end;
    applied.push(edit);
  }
  return { text: parts.join('') + text.slice(done), applied };
}

function isFurther(edit: TextEdit, before: TextEdit, items: ReadonlySet<string>): boolean {
  return edit.isItem === true && before.isItem === true && !items.has(edit.text);
}

export function newlineOf(file: SourceFile): string {
  return file.text.includes('\r\n') ? '\r\n' : '\n';
}

/** The white space before an offset, up to the beginning of its line; `null` where something else stands there. */
export function indentAt(file: SourceFile, offset: number): string | null {
  const before = file.text.slice(file.text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ ]*$/.test(before) ? before : null;
}

/** The offset of the end of the line that holds an offset: before its line break. */
export function lineEndAfter(file: SourceFile, offset: number): number {
  // The end of a block scalar lies behind its line break.
  const from = offset > 0 && file.text[offset - 1] === '\n' ? offset - 1 : offset;
  const end = file.text.indexOf('\n', from);
  if (end < 0) return file.text.length;
  return end > 0 && file.text[end - 1] === '\r' ? end - 1 : end;
}

/** The offset of the colon behind a key; `null` for a key without one. */
export function colonAfter(key: Place): number | null {
  const rest = /^[ \t]*:/.exec(key.file.text.slice(key.end, key.end + 1000));
  return rest === null ? null : key.end + rest[0].length - 1;
}

/** True if an entry is written inside of its map, and its value behind its key: it came neither from an alias nor from `<<`. */
export function isWrittenInside(map: LocatedMap, entry: LocatedEntry): boolean {
  const { key, value } = entry;
  if (map.place.file === key.file && key.start < map.place.start) return false;
  // A map that is laid over another one holds entries of several files.
  return value.place.file !== key.file || value.place.start >= key.end;
}

export function endOfValue(value: LocatedValue): number {
  let end = value.place.start;
  const pending: LocatedValue[] = [value];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part.place.file !== value.place.file || part.place.start < value.place.start) continue;
    const first = part.place.file.text[part.place.start];
    if (part.kind === 'scalar' || first === '[' || first === '{') end = Math.max(end, part.place.end);
    else if (part.kind === 'list') pending.push(...part.items);
    else {
      for (const entry of part.entries.values()) {
        if (entry.key.file === value.place.file && entry.key.start >= value.place.start) end = Math.max(end, entry.key.end);
        pending.push(entry.value);
      }
    }
  }
  return end;
}

/** A text that needs no quotes anywhere in YAML. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_*-]+)*$/;
const NO_TEXT = /^(true|false|null)$/i;

/** A word as it is written in YAML: in the quotes of its neighbour, if that has some; else bare where it can be. */
export function toYamlWord(word: string, neighbour = ''): string {
  const quotes = neighbour.startsWith('"') ? '"' : neighbour.startsWith("'") ? "'" : '';
  if (quotes === '' && PLAIN.test(word) && !NO_TEXT.test(word)) return word;
  return quotes === "'" ? `'${word.replaceAll("'", "''")}'` : JSON.stringify(word);
}
