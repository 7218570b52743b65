import type { LocatedEntry, LocatedValue } from './located-value.ts';

/** Lays one configuration over another: maps are merged key by key, anything else is replaced. */
export function mergeLocated(base: LocatedValue, over: LocatedValue): LocatedValue {
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map<string, LocatedEntry>(base.entries);
  for (const [name, entry] of over.entries) {
    const below = base.entries.get(name);
    entries.set(name, below === undefined ? entry : { key: entry.key, value: mergeLocated(below.value, entry.value) });
  }
  return { kind: 'map', entries, place: over.place };
}
