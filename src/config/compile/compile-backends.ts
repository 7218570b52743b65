import type { Path } from '../findings/located.ts';
import { toRecord } from '../keys/setting-values.ts';
import type { Declared } from '../keys/settings-table.ts';
import type { Overrides } from '../layers/overrides.ts';
import { type BackendName, type CompiledBackends, type DeclaredBackend, findProvider, type PlacedBackend } from './placed-backend.ts';

/**
 * Works out who wears what. The first backend of `cli.backend` has all that is said under `cli:`. Any other one of the same type
 * (a custom or acp one: with the same command, a native one: of the same provider) inherits all of it, one of another type env and permissions only. What a backend
 * says itself wins; `args` replace the inherited ones, `env` is merged.
 */
export function compileBackends(declared: Declared, overrides: Overrides): CompiledBackends {
  const base = compileBase(declared, overrides);
  const worn = Object.entries(declared.hats ?? {}).map(
    ([id, hat]) => [id, hat.backend === undefined ? base : inheritAll(hat.backend, base, ['hats', id, 'backend'])] as const,
  );
  return { base, ralph: compileRalph(declared, base), hats: toRecord(worn) };
}

function compileBase(declared: Declared, overrides: Overrides): readonly PlacedBackend[] {
  const { backend, priority: _, emit_tool: __, ...agent } = declared.cli ?? {};
  const [first = {}, ...others] = backend ?? [];
  const type = toType(first) ?? (agent.command === undefined ? 'auto' : 'custom');
  const key = backend === undefined && agent.command !== undefined ? 'command' : 'backend';
  const list: PlacedBackend[] = [{ declared: merge({ ...agent, type }, { ...first, type }), path: ['cli', key] }];
  for (const [index, entry] of others.entries()) list.push({ declared: inherit(entry, list), path: ['cli', 'backend', index + 1] });
  return override(list, overrides);
}

/** The command line: `-b` replaces the whole list, `--model` is the model of its first backend. */
function override(base: readonly PlacedBackend[], { backend, model }: Overrides): readonly PlacedBackend[] {
  const list = backend === undefined ? base : [{ declared: inherit({ type: backend }, base), path: null }];
  return withOwn(list, model === undefined ? {} : { model });
}

function compileRalph(declared: Declared, base: readonly PlacedBackend[]): readonly PlacedBackend[] {
  const { backend, model, args } = declared.ralph ?? {};
  const list = backend === undefined ? base : inheritAll(backend, base, ['ralph', 'backend']);
  return withOwn(list, { ...(model === undefined ? {} : { model }), ...(args === undefined ? {} : { args }) });
}

/** What is said beside a list of backends is said of its first. */
function withOwn(list: readonly PlacedBackend[], own: DeclaredBackend): readonly PlacedBackend[] {
  return list.map((entry, index) =>
    index === 0 ? { ...entry, declared: { ...entry.declared, ...own, type: entry.declared.type } } : entry,
  );
}

function inheritAll(entries: readonly DeclaredBackend[], base: readonly PlacedBackend[], path: Path): readonly PlacedBackend[] {
  return entries.map((entry, index) => ({ declared: inherit(entry, base), path: [...path, index] }));
}

function inherit(entry: DeclaredBackend, base: readonly PlacedBackend[]): PlacedBackend['declared'] {
  const first = base[0]?.declared;
  const type = toType(entry) ?? first?.type ?? 'auto';
  const same = base.find(({ declared }) => declared.type === type && isSameProgram(declared, entry, type));
  const shared = {
    type,
    ...(first?.env === undefined ? {} : { env: first.env }),
    ...(first?.permissions === undefined ? {} : { permissions: first.permissions }),
  };
  return merge(same?.declared ?? shared, { ...entry, type });
}

function merge(under: DeclaredBackend, over: PlacedBackend['declared']): PlacedBackend['declared'] {
  return { ...under, ...over, env: { ...under.env, ...over.env } };
}

function isSameProgram(known: DeclaredBackend, entry: DeclaredBackend, type: BackendName): boolean {
  if (type === 'native') return entry.provider === undefined || entry.provider === findProvider(known);
  return (type !== 'custom' && type !== 'acp') || entry.command === undefined || entry.command === known.command;
}

function toType(entry: DeclaredBackend): BackendName | undefined {
  return entry.type ?? (entry.command === undefined ? undefined : 'custom');
}
