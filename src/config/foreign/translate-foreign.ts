import type { Finding } from '../../core/schema/finding.ts';
import { readOwn } from '../../core/values/json.ts';
import {
  type Diagnostic,
  type LocatedEntry,
  type LocatedMap,
  type LocatedValue,
  type Path,
  type Place,
  toDiagnostic,
  toKeyPathText,
} from '../findings/located.ts';
import { toJson } from '../yaml/to-json.ts';
import {
  ADAPTER_KEYS,
  CHECKPOINT_SWITCH,
  FOREIGN_BACKENDS,
  FOREIGN_KEYS,
  FOREIGN_LIMITS,
  isAdapterLimit,
  leadsOutOf,
  MOVED_HAT_KEYS,
  MOVED_KEYS,
  type MovedKey,
} from './foreign-keys.ts';
import { findEntry, joinInstructions, mergeBackendArgs, toValueAt, withEntry, withoutEntry } from './translate-hat.ts';

/** A configuration in our own words, and what was said in others. */
export interface TranslatedConfig {
  readonly root: LocatedMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Puts keys of ralph-orchestrator where they belong here, so that its configurations load unchanged; every value keeps its place in the
 * text. What has another place is a warning, what has no equal a note that says what takes its place. A configuration of MassGen is an error.
 */
export function translateForeign(root: LocatedMap): TranslatedConfig {
  const massgen = findMassgen(root);
  if (massgen !== null) return { root: { ...root, entries: new Map() }, diagnostics: [massgen] };
  const diagnostics: Diagnostic[] = [];
  let translated = move(root, MOVED_KEYS, [], diagnostics);
  translated = translateSwitch(translated, diagnostics);
  diagnostics.push(...findHeldAdapters(root));
  for (const section of ['', 'event_loop', 'cli'] as const) {
    translated = drop(translated, section === '' ? [] : [section], FOREIGN_KEYS[section], diagnostics);
  }
  translated = nameBackend(translated, ['cli', 'backend'], diagnostics);
  for (const topic of listTopics(translated)) translated = drop(translated, ['events', topic], FOREIGN_KEYS.event, diagnostics);
  translated = translateHats(translated, diagnostics);
  diagnostics.push(...findBlockingHooks(root));
  return { root: translated, diagnostics };
}

function translateSwitch(root: LocatedMap, diagnostics: Diagnostic[]): LocatedMap {
  const { from, off, to, value } = CHECKPOINT_SWITCH;
  const entry = findEntry(root, from);
  if (entry?.value.kind !== 'scalar' || entry.value.value !== off) return root;
  const written = String(value);
  diagnostics.push(toDiagnostic(entry.key, toMovedFinding(from, to, written)));
  return withEntry(withoutEntry(root, from), to, { key: entry.key, value: { kind: 'scalar', value, written, place: entry.value.place } });
}

/** An agent that was not to be taken, and tools that one was not to use: neither is read, and both held something back. */
function findHeldAdapters(root: LocatedMap): readonly Diagnostic[] {
  const adapters = root.entries.get('adapters')?.value;
  if (adapters?.kind !== 'map') return [];
  return [...adapters.entries].flatMap(([name, { value }]) =>
    value.kind !== 'map'
      ? []
      : [...value.entries].flatMap(([key, entry]) =>
          isAdapterLimit(key, toJson(entry.value)) ? [toDiagnostic(entry.key, toAdapterFinding(['adapters', name, key], key))] : [],
        ),
  );
}

function toAdapterFinding(path: Path, key: string): Finding {
  const isSwitch = key === 'enabled';
  return {
    code: 'key-foreign',
    severity: 'warning',
    message: isSwitch
      ? `\`${toKeyPathText(path)}: false\` is not read: the agent would be taken where it is found.`
      : `\`${toKeyPathText(path)}\` is not read: what it holds back would be free.`,
    why: ADAPTER_KEYS[key] ?? '',
    fix: isSwitch
      ? 'List the agents that may be taken, and take the key away:\n\ncli:\n  backend: auto\n  priority: [claude, codex]'
      : 'Give the hats a profile, and take the key away:\n\nhats:\n  reviewer:\n    profile: critic',
  };
}

/** Hooks are not run by this version; one that was to hold a run back is told more loudly than the rest. */
function findBlockingHooks(root: LocatedMap): readonly Diagnostic[] {
  const events = findEntry(root, ['hooks', 'events'])?.value;
  if (events?.kind !== 'map') return [];
  const hooks = [...events.entries.values()].flatMap(({ value }) => (value.kind === 'list' ? value.items : []));
  return hooks.flatMap((hook) => {
    const reaction = hook.kind === 'map' ? hook.entries.get('on_error') : undefined;
    const word = reaction?.value.kind === 'scalar' ? reaction.value.written : '';
    return reaction !== undefined && ['block', 'suspend'].includes(word) ? [toDiagnostic(reaction.key, toHookFinding(word))] : [];
  });
}

function toHookFinding(word: string): Finding {
  return {
    code: 'key-foreign',
    severity: 'warning',
    message: `A hook with \`on_error: ${word}\` is not run by this version.`,
    why: 'What it holds back would be let through.',
    fix: 'Put its command under `gates:` with the events that it is to hold back, and take the hook away:\n\ngates:\n  - on: [task.complete]\n    run: ./check.sh',
  };
}

function listTopics(root: LocatedMap): readonly string[] {
  const events = root.entries.get('events')?.value;
  return events?.kind === 'map' ? [...events.entries.keys()] : [];
}

/** The same for the keys of one hat, `path` being where it stands. */
export function translateForeignHat(hat: LocatedMap, path: Path): TranslatedConfig {
  const diagnostics: Diagnostic[] = [];
  let translated = move(hat, MOVED_HAT_KEYS, path, diagnostics);
  translated = joinInstructions(translated);
  translated = mergeBackendArgs(translated);
  translated = nameBackend(translated, ['backend'], diagnostics);
  translated = drop(translated, [], FOREIGN_KEYS.hat, diagnostics, path);
  return { root: translated, diagnostics };
}

function translateHats(root: LocatedMap, diagnostics: Diagnostic[]): LocatedMap {
  const hats = root.entries.get('hats');
  if (hats?.value.kind !== 'map') return root;
  let entries: Map<string, typeof hats> | null = null;
  for (const [id, entry] of hats.value.entries) {
    if (entry.value.kind !== 'map') continue;
    const hat = translateForeignHat(entry.value, ['hats', id]);
    diagnostics.push(...hat.diagnostics);
    if (hat.root === entry.value) continue;
    entries ??= new Map(hats.value.entries);
    entries.set(id, { key: entry.key, value: hat.root });
  }
  return entries === null ? root : withEntry(root, ['hats'], { key: hats.key, value: { ...hats.value, entries } });
}

/** A key whose new place is taken stays where it is: the check of the keys will say so. */
function move(root: LocatedMap, keys: readonly MovedKey[], under: Path, diagnostics: Diagnostic[]): LocatedMap {
  let moved = root;
  for (const { from, to } of keys) {
    const entry = findEntry(moved, from);
    const isOutOf = leadsOutOf({ from, to });
    if (entry === undefined || (!isOutOf && findEntry(moved, to) !== undefined)) continue;
    moved = withEntry(isOutOf ? moved : withoutEntry(moved, from), to, entry);
    diagnostics.push(toDiagnostic(entry.key, toMovedFinding([...under, ...from], [...under, ...to])));
  }
  return moved;
}

function toMovedFinding(from: Path, to: Path, value = '…'): Finding {
  const [last, ...sections] = [...to].reverse();
  const lines = sections.reverse().map((section, index) => `${'  '.repeat(index)}${section}:`);
  return {
    code: 'key-moved',
    severity: 'warning',
    message: `\`${toKeyPathText(from)}\` is read as \`${toKeyPathText(to)}\`.`,
    why: 'It is the way in which ralph-orchestrator writes it.',
    fix: `Write it our way, or let \`ralph migrate\` do so:\n\n${[...lines, `${'  '.repeat(lines.length)}${last}: ${value}`].join('\n')}`,
  };
}

function drop(
  root: LocatedMap,
  section: Path,
  keys: Readonly<Record<string, string>>,
  diagnostics: Diagnostic[],
  under: Path = section,
): LocatedMap {
  const map = section.length === 0 ? root : findEntry(root, section)?.value;
  if (map?.kind !== 'map') return root;
  let kept = root;
  for (const [name, entry] of map.entries) {
    if (!Object.hasOwn(keys, name)) continue;
    kept = withoutEntry(kept, [...section, name]);
    diagnostics.push(toDiagnostic(entry.key, toForeignFinding([...under, name], keys[name] ?? '')));
  }
  return kept;
}

function toForeignFinding(path: Path, instead: string): Finding {
  const message = `\`${toKeyPathText(path)}\` is a key of ralph-orchestrator and is not read.`;
  return FOREIGN_LIMITS.includes(String(path.at(-1)))
    ? {
        code: 'key-foreign',
        severity: 'warning',
        message,
        why: `What it holds back would be let through. ${instead}`,
        fix: '`ralph migrate` writes it in our words.',
      }
    : { code: 'key-foreign', severity: 'note', message, why: instead, fix: 'It can stay; nothing depends on it.' };
}

/** An agent that has a name only elsewhere is described in our words. */
function nameBackend(root: LocatedMap, path: Path, diagnostics: Diagnostic[]): LocatedMap {
  const entry = findEntry(root, path);
  const name = entry?.value.kind === 'scalar' && typeof entry.value.value === 'string' ? entry.value.value : '';
  const words = readOwn(FOREIGN_BACKENDS, name);
  if (entry === undefined || words === undefined) return root;
  const place: Place = entry.value.place;
  const entries = new Map(Object.entries(words).map(([key, value]) => [key, { key: place, value: toValueAt(place, value) }]));
  diagnostics.push(toDiagnostic(place, toBackendFinding(name, words)));
  return withEntry(root, path, { key: entry.key, value: { kind: 'map', entries, place } });
}

function toBackendFinding(name: string, words: Readonly<Record<string, string | readonly string[]>>): Finding {
  const lines = Object.entries(words).map(([key, value]) => `  ${key}: ${typeof value === 'string' ? value : `[${value.join(', ')}]`}`);
  return {
    code: 'backend-foreign',
    severity: 'hint',
    message: `The agent \`${name}\` is run as a program of its own.`,
    why: 'ralph-orchestrator knows it by this name; here its command line is written out.',
    fix: `Write:\n\nbackend:\n${lines.join('\n')}`,
  };
}

/**
 * The finding about a configuration of MassGen: its agents have backends with models of their own and are no hats. `agents:` that only carry
 * hooks are ours.
 */
function findMassgen(root: LocatedMap): Diagnostic | null {
  const entry = findAgents(root);
  if (entry === undefined || root.entries.has('hats')) return null;
  return toDiagnostic(entry.key, {
    code: 'config-massgen',
    severity: 'error',
    message: 'This is a configuration of MassGen.',
    why: 'Its agents would not run: several agents that answer and vote are the `panel` of a hat here, which is written in another form.',
    fix: 'Let `ralph migrate` make one hat that all of them wear, or write them under `hats.<id>.panel.agents` yourself.',
  });
}

function findAgents(root: LocatedMap): LocatedEntry | undefined {
  const agents = root.entries.get('agents');
  if (agents?.value.kind === 'list' && agents.value.items.some(hasModel)) return agents;
  const agent = root.entries.get('agent');
  return agent !== undefined && hasModel(agent.value) ? agent : undefined;
}

function hasModel(agent: LocatedValue): boolean {
  const backend = agent.kind === 'map' ? agent.entries.get('backend')?.value : undefined;
  return backend?.kind === 'map' && (backend.entries.has('type') || backend.entries.has('model'));
}
