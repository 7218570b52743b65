import { isEmptyValue, type LocatedEntry, type LocatedMap, type LocatedValue, type Path } from './located-value.ts';
import { TRIGGER_KEYS } from './trigger-names.ts';

/**
 * Lays one configuration over another: maps are merged key by key, anything else is replaced. An empty value over a written one takes it
 * away, so that the default is in force again. Of keys that say the same in different ways (`prompt`, `prompt_file`) the upper one counts.
 *
 * @param path where both stand in a configuration
 */
export function mergeLocated(base: LocatedMap, over: LocatedMap, path: Path = []): LocatedMap {
  const entries = new Map<string, LocatedEntry>(base.entries);
  for (const rival of listRivals(over, path)) entries.delete(rival);
  for (const [name, entry] of over.entries) {
    const below = base.entries.get(name);
    if (below === undefined) entries.set(name, entry);
    else if (isEmptyValue(entry.value)) entries.delete(name);
    else entries.set(name, mergeEntry(below, entry, [...path, name]));
  }
  return { kind: 'map', entries, place: base.place };
}

function mergeEntry(below: LocatedEntry, entry: LocatedEntry, path: Path): LocatedEntry {
  const [base, over]: readonly LocatedValue[] = [below.value, entry.value];
  if (base?.kind !== 'map' || over?.kind !== 'map') return entry;
  return { key: below.key, value: mergeLocated(base, over, path) };
}

const PROMPT_KEYS = ['prompt', 'prompt_file'];

/** Keys of the lower map that would contradict one of the upper map. */
function listRivals(over: LocatedMap, path: Path): readonly string[] {
  const isLoop = path.length === 1 && path[0] === 'event_loop';
  const isHat = path.length === 2 && path[0] === 'hats';
  const group: readonly string[] = isLoop ? PROMPT_KEYS : isHat ? TRIGGER_KEYS : [];
  return group.some((name) => over.entries.has(name)) ? group.filter((name) => !over.entries.has(name)) : [];
}
