import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import { findHookEvent, HOOK_EVENTS, type HookEventName, isLoopEvent, isRunEvent } from '../../core/hooks/hook-moments.ts';
import type { HookSpec } from '../../core/hooks/hook-spec.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { quote } from '../findings/diagnostics.ts';
import {
  type Diagnostic,
  findPlace,
  type LocatedEntry,
  type LocatedMap,
  type Path,
  readAt,
  toDiagnostic,
  toPathKey,
} from '../findings/located.ts';
import { toEffective, toRecord } from '../keys/setting-values.ts';
import { type Declared, HOOKS_DEFAULTS_KEYS } from '../keys/settings-table.ts';
import type { ReadText } from '../layers/read-text-file.ts';
import { backendsOf, type CompiledBackends, type PlacedBackend } from './compile-backends.ts';
import { importHooks } from './import-hooks.ts';
import { createToolFinder } from './known-tools.ts';
import { type HookDefaults, MAX_TIMEOUT_MS } from './read-hook-handler.ts';
import { type CompiledHooks, type EventHooks, HooksReader, type OrderedHook, toHookListName } from './read-hooks.ts';

interface HooksRequest {
  readonly root: LocatedMap;
  readonly declared: Declared;
  readonly hatIds: readonly string[] | null;
  readonly backends: CompiledBackends;
  /** The workspace, absolute. */
  readonly cwd: string;
  readonly readText: ReadText;
  /** Tools of the program's caller. */
  readonly toolNames: readonly string[];
}

/**
 * Reads `hooks`, the hooks of hats and of Ralph, and those of backends. A list of a hat goes behind the list of all, that of a backend behind both;
 * `{override: true, hooks: […]}` takes the place of those before it, but for the locked ones. A higher `priority` is asked first. The form of Claude
 * Code's settings, `{matcher, hooks: [{type, command}]}`, is read as well.
 */
export function compileHooks({ root, declared, hatIds, backends, cwd, readText, toolNames }: HooksRequest): CompiledHooks {
  const defaults = compileDefaults(root, declared);
  const reader = new HooksReader(cwd, defaults.value, createToolFinder(declared, toolNames));
  const levels = new Map<string, HookLevel>();
  const readLevel = (path: Path): HookLevel => {
    const written = toWrittenPath(root, path);
    const known = levels.get(toPathKey(written));
    if (known !== undefined) return known;
    const level = reader.readEvents(readAt(root, written), path.length === 1);
    levels.set(toPathKey(written), level);
    return level;
  };
  const imported = importHooks(readAt(root, ['hooks', 'import']), { cwd, readText, defaults: defaults.value });
  const shared = withImported(imported.specs, readLevel(['hooks']));
  const owners: readonly (readonly [id: string, path: Path, worn: readonly PlacedBackend[]])[] = [
    ...(hatIds ?? []).map((id) => [id, ['hats', id, 'hooks'], backendsOf(id, backends)] as const),
    [RALPH, ['ralph', 'hooks'], backends.ralph],
    ...(declared.mode === 'single' ? [[DEFAULT_HAT, ['ralph', 'hooks'], backends.ralph] as const] : []),
  ];
  const unbound: UnhookedHat[] = [];
  const read = owners.map(([id, path, worn]) => {
    const own = readLevel(path);
    const specs = ofHat([shared, own]);
    const ofBackends = worn.flatMap((placed, index): (readonly [string, readonly HookSpec[]])[] => {
      const { type } = placed.declared;
      const levels = listOwnPlaces(placed).flatMap((place) => {
        const level = readLevel(place);
        if (level.size > 0 && type !== 'native')
          unbound.push({ id, agent: placed.agent?.id, types: [type], path: toWrittenPath(root, place) });
        return level.size === 0 ? [] : [level];
      });
      // Whoever asks no hooks has a list all the same where it is an agent of a panel: it is shown beside those of the others.
      if (levels.length === 0 || (type !== 'native' && placed.agent === undefined)) return [];
      return [[toHookListName(id, index), ofHat([shared, own, ...levels])]];
    });
    const types = worn.map(({ declared: { type } }) => type).filter((type) => type !== 'native');
    if (specs.some(({ event }) => !isLoopEvent(event)) && types.length > 0)
      unbound.push({ id, types, path: [...own.keys()].some((event) => !isLoopEvent(event)) ? path : ['hooks'] });
    return { id, specs, ofBackends };
  });
  // Those of a list that every hat replaces bind nobody; what is wrong with them is told all the same.
  for (const { hooksPath } of backends.base) if (hooksPath !== undefined) readLevel(hooksPath);
  return {
    hooks: toRecord(read.flatMap(({ id, specs }) => (specs.length === 0 ? [] : [[id, specs] as const]))),
    ofBackends: toRecord(read.flatMap(({ ofBackends }) => ofBackends)),
    ofRun: mergeLevels([shared]).filter(({ event }) => isRunEvent(event)),
    diagnostics: [
      ...defaults.diagnostics,
      ...imported.diagnostics,
      ...reader.diagnostics,
      ...tellUnbound(root, unbound),
      ...owners.flatMap(([id, path, worn]) => [
        ...(id === DEFAULT_HAT ? [] : tellMisplaced(root, path, RUN_PLACE)),
        ...worn.flatMap((placed) => tellOfLoop(root, placed)),
      ]),
    ],
  };
}

/** Hooks of the loop at a backend or an agent of a panel. */
function tellOfLoop(root: LocatedMap, { hooksPath, agent }: PlacedBackend): readonly Diagnostic[] {
  return [
    ...(hooksPath === undefined ? [] : tellMisplaced(root, hooksPath, HAT_PLACE)),
    ...(agent === undefined ? [] : tellMisplaced(root, [...agent.path, 'hooks'], AGENT_PLACE)),
  ];
}

/** Where hooks are written that count for one agent of the hat: of its panel, then of its backend. */
function listOwnPlaces({ agent, hooksPath }: PlacedBackend): readonly Path[] {
  return [...(agent?.hasHooks === true ? [[...agent.path, 'hooks']] : []), ...(hooksPath === undefined ? [] : [hooksPath])];
}

/** Hooks that would be left out unseen where they are written. */
interface Misplacement {
  readonly isWrong: (event: HookEventName) => boolean;
  readonly is: string;
  readonly why: string;
  readonly fix: string;
}

const HAT_PLACE: Misplacement = {
  isWrong: isLoopEvent,
  is: 'of a hat, and this is a backend',
  why: 'Whatever agent wears the hat, the loop asks the same hooks about its events.',
  fix: 'Write them under `hats.<id>.hooks`, `ralph.hooks` or `hooks`.',
};
const AGENT_PLACE: Misplacement = { ...HAT_PLACE, is: 'of a hat, and this is an agent of its panel' };
const RUN_PLACE: Misplacement = {
  isWrong: isRunEvent,
  is: 'of the run, and this is a hat',
  why: 'They would never be asked here.',
  fix: 'Write them under `hooks` at the top of the file.',
};

function tellMisplaced(root: LocatedMap, path: Path, { isWrong, is, why, fix }: Misplacement): readonly Diagnostic[] {
  const hooks = readAt(root, toWrittenPath(root, path));
  if (hooks?.kind !== 'map') return [];
  return [...hooks.entries].flatMap(([name, { key }]) => {
    const event = findHookEvent(name);
    if (event === undefined || !isWrong(event)) return [];
    const finding: Finding = { code: 'hook-invalid', severity: 'error', message: `Hooks of ${event} are ${is}.`, why, fix };
    return [toDiagnostic(key, finding)];
  });
}

/** Those of a hat or of one of its backends. */
function ofHat(levels: readonly HookLevel[]): readonly HookSpec[] {
  return mergeLevels(levels).filter(({ event }) => !isRunEvent(event));
}

type HookLevel = ReadonlyMap<HookEventName, EventHooks>;

/** What was imported comes before what the file says itself. */
function withImported(specs: readonly HookSpec[], own: HookLevel): HookLevel {
  return new Map(
    HOOK_EVENTS.flatMap((event) => {
      const imported = specs.filter((spec) => spec.event === event).map((spec) => ({ spec, priority: 0, isLocked: false }));
      const known = own.get(event);
      if (imported.length === 0 && known === undefined) return [];
      return [[event, { isOverride: false, hooks: [...imported, ...(known?.hooks ?? [])] }] as const];
    }),
  );
}

/** `hooks_defaults`, with what it leaves out. */
function compileDefaults(
  root: LocatedMap,
  { hooks_defaults }: Declared,
): { readonly value: HookDefaults; readonly diagnostics: readonly Diagnostic[] } {
  const { fail_closed: isFailClosed, timeout: timeoutMs } = toEffective(HOOKS_DEFAULTS_KEYS, hooks_defaults);
  const value = { isFailClosed, timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS) };
  if (timeoutMs === value.timeoutMs) return { value, diagnostics: [] };
  const finding: Finding = {
    code: 'hook-invalid',
    severity: 'error',
    message: 'This time for hooks is too long.',
    why: 'A call of a tool would wait for it.',
    fix: 'Write seconds, such as 30, or 2m; at most 1d.',
  };
  return { value, diagnostics: [toDiagnostic(findPlace(root, ['hooks_defaults', 'timeout']), finding)] };
}

/** A backend alone may stand without a list around it. */
function toWrittenPath(root: LocatedMap, path: Path): Path {
  const written: (string | number)[] = [];
  for (const step of path) if (typeof step === 'string' || readAt(root, written)?.kind === 'list') written.push(step);
  return written;
}

/** A hat whose agents call their tools by themselves, although there are hooks. */
interface UnhookedHat {
  readonly id: string;
  /** The agent of its panel; absent: whoever wears it. */
  readonly agent?: string | undefined;
  readonly types: readonly string[];
  readonly path: Path;
}

/** One finding for each place where such hooks are written. */
function tellUnbound(root: LocatedMap, unbound: readonly UnhookedHat[]): readonly Diagnostic[] {
  const places = [...new Set(unbound.map(({ path }) => path.join('.')))];
  return places.flatMap((place) => {
    const here = unbound.filter(({ path }) => path.join('.') === place);
    const entry = readEntry(root, here[0]?.path ?? []);
    if (entry === undefined) return [];
    const worn = here.filter(({ id }) => id !== RALPH && id !== DEFAULT_HAT);
    const hats = [...new Set(worn.map(({ id }) => id))];
    const names = worn.map(({ id, agent }) => (agent === undefined ? quote(id) : `${quote(agent)} of ${quote(id)}`));
    const who = [...names, ...(worn.length < here.length ? ['Ralph'] : [])].join(', ');
    const types = [...new Set(here.flatMap(({ types }) => types))].map((type) => (type === 'auto' ? 'the agent CLI that is found' : type));
    const finding: Finding = {
      code: 'hook-not-bound',
      severity: 'warning',
      message: `These hooks do not bind ${who}: ${types.join(', ')} ${types.length === 1 ? 'calls its tools by itself' : 'call their tools by themselves'}.`,
      why: 'Hooks of tools are asked by the native agent only; what they are to prevent, another agent can do.',
      fix: 'Give the hat `backend: {type: native, …}`, or bind it by a `profile`, a `sandbox` and `gates`, which hold for every agent.',
      ...(hats.length === 0 ? {} : { hats }),
    };
    return [toDiagnostic(entry.key, finding)];
  });
}

/** What is asked, event by event: later levels behind those before them, or in their place. */
function mergeLevels(levels: readonly HookLevel[]): readonly HookSpec[] {
  return HOOK_EVENTS.flatMap((event) => {
    let merged: readonly OrderedHook[] = [];
    for (const { isOverride, hooks } of levels.flatMap((level) => level.get(event) ?? []))
      merged = [...(isOverride ? merged.filter(({ isLocked }) => isLocked) : merged), ...hooks];
    return merged.toSorted((left, right) => right.priority - left.priority).map(({ spec }) => spec);
  });
}

function readEntry(root: LocatedMap, path: Path): LocatedEntry | undefined {
  const parent = readAt(root, path.slice(0, -1));
  return parent?.kind === 'map' ? parent.entries.get(String(path.at(-1))) : undefined;
}
