import type { LocatedEntry, LocatedMap, LocatedValue } from './located-value.ts';
import type { Place, SourceFile } from './source-file.ts';

/** The text at a place, as it is written. */
export function rawText(place: Place): string {
  return place.file.text.slice(place.start, place.end);
}

/** How lines end in a file. */
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

/** True if an entry is written inside of its map, and its value behind its key: not by an alias, not taken over by `<<`. */
export function isOwn(map: LocatedMap, entry: LocatedEntry): boolean {
  const { key, value } = entry;
  if (map.place.file === key.file && key.start < map.place.start) return false;
  // A map that is laid over another one holds entries of several files.
  return value.place.file !== key.file || value.place.start >= key.end;
}

/** Where the text of a value ends. */
export function endOf(value: LocatedValue): number {
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
