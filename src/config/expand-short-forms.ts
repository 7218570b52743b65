import type { LocatedEntry, LocatedMap } from './located-value.ts';
import { TOP_KEYS } from './settings-table.ts';

/** Writes out what may be said in one word: `sandbox: off` is `sandbox: {mode: off}`. The word keeps its place. */
export function expandShortForms(root: LocatedMap): LocatedMap {
  const entries = new Map(root.entries);
  for (const [name, setting] of Object.entries(TOP_KEYS)) {
    const entry = entries.get(name);
    const short = 'short' in setting ? setting.short : undefined;
    if (short !== undefined && entry?.value.kind === 'scalar' && entry.value.value !== null) entries.set(name, toMap(entry, short));
  }
  return { ...root, entries };
}

function toMap(entry: LocatedEntry, short: string): LocatedEntry {
  return { ...entry, value: { kind: 'map', entries: new Map([[short, entry]]), place: entry.value.place } };
}
