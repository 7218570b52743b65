import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import { HOOK_EVENTS, type HookSpec } from '../../core/hooks/hook-spec.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { quote } from '../findings/diagnostics.ts';
import { type Diagnostic, type LocatedEntry, type LocatedMap, type Path, readAt, toDiagnostic } from '../findings/located.ts';
import { toRecord } from '../keys/setting-values.ts';
import { backendsOf, type CompiledBackends } from './compile-backends.ts';
import { type EventHooks, HooksReader } from './read-hooks.ts';

/** What hooks are compiled from. */
interface HooksRequest {
  readonly root: LocatedMap;
  readonly hatIds: readonly string[] | null;
  readonly isSingle: boolean;
  readonly backends: CompiledBackends;
}

/** The hooks of each hat that has some, in the order in which they are asked. */
export interface CompiledHooks {
  readonly hooks: Readonly<Record<string, readonly HookSpec[]>>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads `hooks`, `hats.<id>.hooks` and `ralph.hooks`. A list of a hat goes behind the list of all, `{override: true, hooks: […]}` in its place; a higher
 * `priority` is asked first. The form of Claude Code's settings, `{matcher, hooks: [{type, command}]}`, is read as well.
 */
export function compileHooks({ root, hatIds, isSingle, backends }: HooksRequest): CompiledHooks {
  const reader = new HooksReader();
  const shared = reader.readEvents(readAt(root, ['hooks']));
  const owners: readonly (readonly [id: string, path: Path, worn: readonly { readonly declared: { readonly type: string } }[]])[] = [
    ...(hatIds ?? []).map((id) => [id, ['hats', id, 'hooks'], backendsOf(id, backends)] as const),
    [RALPH, ['ralph', 'hooks'], backends.ralph],
    ...(isSingle ? [[DEFAULT_HAT, ['ralph', 'hooks'], backends.ralph] as const] : []),
  ];
  const unbound: Unbound[] = [];
  const hooks = owners.flatMap(([id, path, worn]): (readonly [string, readonly HookSpec[]])[] => {
    // Ralph's are read twice where he is the only one: what is wrong with them is told once.
    const own = (id === DEFAULT_HAT ? new HooksReader() : reader).readEvents(readAt(root, path));
    const specs = HOOK_EVENTS.flatMap((event) => mergeLevels(shared.get(event), own.get(event)));
    const types = worn.map(({ declared }) => declared.type).filter((type) => type !== 'native');
    if (specs.length > 0 && types.length > 0) unbound.push({ id, types, path: own.size > 0 ? path : ['hooks'] });
    return specs.length === 0 ? [] : [[id, specs]];
  });
  return { hooks: toRecord(hooks), diagnostics: [...reader.diagnostics, ...tellUnbound(root, unbound)] };
}

/** A hat whose agents call their tools by themselves, although there are hooks. */
interface Unbound {
  readonly id: string;
  readonly types: readonly string[];
  readonly path: Path;
}

/** One finding for each place where such hooks are written. */
function tellUnbound(root: LocatedMap, unbound: readonly Unbound[]): readonly Diagnostic[] {
  const places = [...new Set(unbound.map(({ path }) => path.join('.')))];
  return places.flatMap((place) => {
    const here = unbound.filter(({ path }) => path.join('.') === place);
    const entry = readEntry(root, here[0]?.path ?? []);
    if (entry === undefined) return [];
    const hats = here.map(({ id }) => id).filter((id) => id !== RALPH && id !== DEFAULT_HAT);
    const who = [...hats.map((id) => quote(id)), ...(hats.length < here.length ? ['Ralph'] : [])].join(', ');
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

function mergeLevels(shared: EventHooks | undefined, own: EventHooks | undefined): readonly HookSpec[] {
  const all = [...(own?.isOverride === true ? [] : (shared?.hooks ?? [])), ...(own?.hooks ?? [])];
  return all.toSorted((left, right) => right.priority - left.priority).map(({ spec }) => spec);
}

function readEntry(root: LocatedMap, path: Path): LocatedEntry | undefined {
  const parent = readAt(root, path.slice(0, -1));
  return parent?.kind === 'map' ? parent.entries.get(String(path.at(-1))) : undefined;
}
