import type { Finding } from '../../core/schema/finding.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  isEmptyValue,
  type LocatedEntry,
  type LocatedMap,
  type LocatedValue,
  type Path,
  toDiagnostic,
} from '../findings/located.ts';
import { TRIGGER_KEYS } from '../keys/settings-table.ts';

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

/** Keys of the lower map that contradict one of the upper map. */
function listRivals(over: LocatedMap, path: Path): readonly string[] {
  const isLoop = path.length === 1 && path[0] === 'event_loop';
  const isHat = path.length === 2 && path[0] === 'hats';
  const group: readonly string[] = isLoop ? PROMPT_KEYS : isHat ? TRIGGER_KEYS : [];
  return group.some((name) => over.entries.has(name)) ? group.filter((name) => !over.entries.has(name)) : [];
}

/** The keys that a team brings along: its hats and gates, its name, how it is woken and how it ends. */
const TAKEN = ['hats', 'event_loop', 'gates', 'ralph', 'name', 'description', 'mode'];
/** Keys of `event_loop` that name a hat. */
const HAT_NAMES = ['starting_hat', 'recovery_hat'];

/** A configuration under another team. */
export interface OverlaidConfig {
  readonly root: LocatedMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Puts the team of `--hats` in the place of the one that a configuration has: `hats` and `mode` are replaced whole, `event_loop` and `ralph` are merged
 * key by key, `gates`, `name` and `description` are taken over where the team has them. Any other key of its file is not read, and a finding says so.
 * `starting_hat` and `recovery_hat` of the configuration stay only where the new team has a hat of that name.
 */
export function applyOverlay(base: LocatedMap, overlay: LocatedMap): OverlaidConfig {
  const others = [...overlay.entries].filter(([name]) => !TAKEN.includes(name) && !name.startsWith('x-'));
  const diagnostics = others.map(([name, entry]) => toDiagnostic(entry.key, toNotRead(name)));
  if (!overlay.entries.has('hats')) diagnostics.push(toDiagnostic(overlay.place, NO_HATS));
  const entries = new Map([...overlay.entries].filter(([name]) => TAKEN.includes(name)));
  return { root: mergeLocated(withoutTeam(base, overlay), { ...overlay, entries }), diagnostics };
}

function withoutTeam(base: LocatedMap, overlay: LocatedMap): LocatedMap {
  const entries = new Map(base.entries);
  entries.delete('hats');
  entries.delete('mode');
  const loop = entries.get('event_loop');
  const hats = overlay.entries.get('hats')?.value;
  if (loop?.value.kind === 'map') {
    const kept = [...loop.value.entries].filter(([name, entry]) => !HAT_NAMES.includes(name) || namesHat(entry, hats));
    entries.set('event_loop', { key: loop.key, value: { ...loop.value, entries: new Map(kept) } });
  }
  return { ...base, entries };
}

function namesHat({ value }: LocatedEntry, hats: LocatedEntry['value'] | undefined): boolean {
  return value.kind === 'scalar' && hats?.kind === 'map' && hats.entries.has(value.written);
}

function toNotRead(name: string): Finding {
  return {
    code: 'overlay-key',
    severity: 'warning',
    message: `The key ${quote(name)} is not read from a hats overlay.`,
    why: 'A team brings its hats along; agents, files and folders stay those of the configuration.',
    fix: `Move it to \`ralph.yml\`, or take the file as a configuration: \`-c FILE\` in the place of \`--hats FILE\`. Read are: ${TAKEN.join(', ')}.`,
  };
}

const NO_HATS: Finding = {
  code: 'overlay-hats',
  severity: 'error',
  message: 'There are no hats in this file.',
  why: '`--hats` replaces your team with another.',
  fix: 'Add `hats:`, or take the file as a configuration: `-c FILE`.',
};
