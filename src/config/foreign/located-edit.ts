import type { LocatedEntry, LocatedMap, LocatedScalar, LocatedValue, Path } from '../located-value.ts';
import type { Place } from '../source-file.ts';

/** The entry that a path of keys leads to. */
export function readEntry(root: LocatedMap, path: Path): LocatedEntry | undefined {
  const [name, ...rest] = path;
  const entry = root.entries.get(String(name));
  if (entry === undefined || rest.length === 0) return entry;
  return entry.value.kind === 'map' ? readEntry(entry.value, rest) : undefined;
}

/** The same map with an entry more, or another one in its place; maps on the way are made where they are missing. */
export function withEntry(root: LocatedMap, path: Path, entry: LocatedEntry): LocatedMap {
  const [head, ...rest] = path;
  const name = String(head);
  const entries = new Map(root.entries);
  if (rest.length === 0) entries.set(name, entry);
  else {
    const below = root.entries.get(name);
    const inner: LocatedMap = below?.value.kind === 'map' ? below.value : { kind: 'map', entries: new Map(), place: entry.key };
    entries.set(name, { key: below?.key ?? entry.key, value: withEntry(inner, rest, entry) });
  }
  return { ...root, entries };
}

/** The same map without an entry. */
export function withoutEntry(root: LocatedMap, path: Path): LocatedMap {
  const [head, ...rest] = path;
  const name = String(head);
  const below = root.entries.get(name);
  if (below === undefined) return root;
  const entries = new Map(root.entries);
  if (rest.length === 0) entries.delete(name);
  else if (below.value.kind === 'map') entries.set(name, { key: below.key, value: withoutEntry(below.value, rest) });
  return { ...root, entries };
}

/** A text that is nowhere written, at the place of what it comes from. */
export function toTextAt(place: Place, text: string): LocatedScalar {
  return { kind: 'scalar', value: text, written: text, place };
}

/** A plain value at the place of what it comes from. */
export function toValueAt(place: Place, value: string | readonly string[]): LocatedValue {
  if (typeof value === 'string') return toTextAt(place, value);
  return { kind: 'list', items: value.map((item) => toTextAt(place, item)), place };
}
