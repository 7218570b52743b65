import type { BackendSpec } from '../core/index.ts';
import type { BACKEND_KEYS } from './backend-keys.ts';
import type { Path } from './located-value.ts';
import { findProvider, NATIVE_KEYS, toNativeSpec } from './native-keys.ts';
import type { Overrides } from './overrides.ts';
import type { ValuesOf } from './setting.ts';
import type { Declared } from './settings-table.ts';
import { toRecord } from './to-record.ts';

type DeclaredBackend = ValuesOf<typeof BACKEND_KEYS>;
type BackendName = NonNullable<DeclaredBackend['type']>;

/** A backend with everything that it inherits, and where it was declared; `null` for one that the command line named. */
export interface PlacedBackend {
  readonly declared: DeclaredBackend & { readonly type: BackendName };
  readonly path: Path | null;
}

/** The backends of everybody, in the order in which `on_limit: switch` tries them; each list holds at least one. */
export interface CompiledBackends {
  /** `cli`: what hats without a backend wear. */
  readonly base: readonly PlacedBackend[];
  readonly ralph: readonly PlacedBackend[];
  readonly hats: Readonly<Record<string, readonly PlacedBackend[]>>;
}

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

/** The backend as it is stored and run. */
export function toBackendSpec({ declared }: PlacedBackend): BackendSpec {
  const { type, args = [], env = {}, permissions = 'bypass', prompt_mode, prompt_flag, output_format, user_settings, ...others } = declared;
  const rest = withoutNative(others);
  const promptMode = prompt_mode ?? (type === 'custom' ? 'arg' : undefined);
  const outputFormat = output_format ?? (type === 'custom' ? 'text' : undefined);
  return {
    ...rest,
    ...(promptMode === undefined ? {} : { promptMode }),
    ...(user_settings === undefined ? {} : { userSettings: user_settings }),
    ...(prompt_flag === undefined ? {} : { promptFlag: prompt_flag }),
    ...(outputFormat === undefined ? {} : { outputFormat }),
    type,
    args,
    env,
    permissions,
    ...(type === 'native' ? { native: toNativeSpec(declared) } : {}),
  };
}

type NativeKey = keyof typeof NATIVE_KEYS;

/** What is said of the native agent says nothing to any other. */
function withoutNative<Given extends { readonly [Name in NativeKey]?: unknown }>(given: Given): Omit<Given, NativeKey> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(NATIVE_KEYS, name))) as Omit<Given, NativeKey>;
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
