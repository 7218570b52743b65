import { type BackendSpec, type NativeProvider, type NativeSpec, toBackendLabel } from '../../core/backends/backend-spec.ts';
import { findListedContext } from '../../core/backends/list-prices.ts';
import type { RunSpec } from '../../core/run/run-spec.ts';
import type { Path } from '../findings/located.ts';
import { type BACKEND_KEYS, NATIVE_KEYS } from '../keys/backend-keys.ts';
import { MIN_PANEL_AGENTS } from '../keys/panel-keys.ts';
import type { ValuesOf } from '../keys/setting.ts';
import { toRecord } from '../keys/setting-values.ts';
import { type Declared, type DeclaredHat, TOP_KEYS } from '../keys/settings-table.ts';
import type { Overrides } from '../settings.ts';

type DeclaredBackend = ValuesOf<typeof BACKEND_KEYS>;

type BackendName = NonNullable<DeclaredBackend['type']>;

/** A backend with everything that it inherits, and where it was declared; `null` for one that the command line named. */
export interface PlacedBackend {
  readonly declared: DeclaredBackend & { readonly type: BackendName };
  readonly path: Path | null;
  /** Where its hooks are written: at itself, or at the backend that it inherits from; absent: it has none. */
  readonly hooksPath?: Path;
  /** The agent of a panel whose backend this is; absent: the hat has no panel. */
  readonly agent?: DeclaredAgent;
}

/** What an agent of a panel has of its own beside its backend. */
interface DeclaredAgent {
  readonly id: string;
  readonly path: Path;
  /** The profile that it names; absent: none. */
  readonly profile?: string;
  readonly hasHooks: boolean;
}

/** The backends of all hats, in the order in which `on_limit: switch` tries them, of a panel in that of its agents; a list holds at least one. */
export interface CompiledBackends {
  /** `cli`: the backends of a hat that names none. */
  readonly base: readonly PlacedBackend[];
  readonly ralph: readonly PlacedBackend[];
  readonly hats: Readonly<Record<string, readonly PlacedBackend[]>>;
}

/**
 * Gives every hat its backends. The first backend of `cli.backend` has everything under `cli:`. Any other one of the same type
 * (a custom or acp one: with the same command, a native one: of the same provider) inherits all of it, one of another type env and permissions only. What a backend
 * says itself wins; `args` replace the inherited ones, `env` is merged. An agent of a panel inherits from its hat in the same way.
 *
 * @param toItemPath where an item of a list stands in the file, which may hold others that are wrong
 */
export function compileBackends(declared: Declared, overrides: Overrides, toItemPath: ToItemPath): CompiledBackends {
  const base = compileBase(declared, overrides);
  const ralph = compileRalph(declared, base);
  const worn = Object.entries(declared.hats ?? {}).map(([id, hat]) => {
    const own = hat.backend === undefined ? base : inheritAll(hat.backend, base, ['hats', id, 'backend']);
    return [
      id,
      compilePanelBackends(hat.panel, { own, base, ralph }, (index) => toItemPath(['hats', id, 'panel', 'agents'], index)),
    ] as const;
  });
  return { base, ralph, hats: toRecord(worn) };
}

type ToItemPath = (list: Path, index: number) => Path;

/** Those of the agents of a panel, in their order: each its own, else the first of the hat; last that of Ralph, where he decides ties. Without a panel those of the hat. */
function compilePanelBackends(
  panel: DeclaredHat['panel'],
  { own, base, ralph }: Pick<CompiledBackends, 'base' | 'ralph'> & { readonly own: readonly PlacedBackend[] },
  toAgentPath: (index: number) => Path,
): readonly PlacedBackend[] {
  const agents = panel?.agents ?? [];
  if (agents.length === 0) return own;
  const members = agents.flatMap(({ id = '', backend: [entry] = [], model, profile, hooks }, index) => {
    const path = toAgentPath(index);
    const worn = entry === undefined ? own.slice(0, 1) : [inherit(entry, [...own, ...base], [...path, 'backend', 0])];
    const agent = { id, path, ...(profile === undefined ? {} : { profile }), hasHooks: hooks !== undefined };
    return withOwn(worn, model === undefined ? {} : { model }).map((placed) => ({ ...placed, agent }));
  });
  return panel?.tie === 'ralph' ? [...members, ...ralph.slice(0, 1)] : members;
}

function compileBase(declared: Declared, overrides: Overrides): readonly PlacedBackend[] {
  const { backend, priority: _, emit_tool: __, ...agent } = declared.cli ?? {};
  const [first = {}, ...others] = backend ?? [];
  const type = toType(first) ?? (agent.command === undefined ? 'auto' : 'custom');
  const key = backend === undefined && agent.command !== undefined ? 'command' : 'backend';
  const own = { ...first, type };
  const list: PlacedBackend[] = [
    { declared: merge({ ...agent, type }, own), path: ['cli', key], ...toHooksPath(own, ['cli', key, 0, 'hooks']) },
  ];
  for (const [index, entry] of others.entries()) list.push(inherit(entry, list, ['cli', 'backend', index + 1]));
  return override(list, overrides);
}

/** The command line: `-b` replaces the whole list, `--model` is the model of its first backend. */
function override(base: readonly PlacedBackend[], { backend, model }: Overrides): readonly PlacedBackend[] {
  const list = backend === undefined ? base : [{ ...inherit({ type: backend }, base, []), path: null }];
  return withOwn(list, model === undefined ? {} : { model });
}

function compileRalph(declared: Declared, base: readonly PlacedBackend[]): readonly PlacedBackend[] {
  const { backend, model, args } = declared.ralph ?? {};
  const list = backend === undefined ? base : inheritAll(backend, base, ['ralph', 'backend']);
  return withOwn(list, { ...(model === undefined ? {} : { model }), ...(args === undefined ? {} : { args }) });
}

/** A key beside a list of backends belongs to the first of them. */
function withOwn(list: readonly PlacedBackend[], own: DeclaredBackend): readonly PlacedBackend[] {
  return list.map((entry, index) =>
    index === 0 ? { ...entry, declared: { ...entry.declared, ...own, type: entry.declared.type } } : entry,
  );
}

function inheritAll(entries: readonly DeclaredBackend[], base: readonly PlacedBackend[], path: Path): readonly PlacedBackend[] {
  return entries.map((entry, index) => inherit(entry, base, [...path, index]));
}

function inherit(entry: DeclaredBackend, base: readonly PlacedBackend[], path: Path): PlacedBackend {
  const first = base[0]?.declared;
  const type = toType(entry) ?? first?.type ?? 'auto';
  const same = base.find(({ declared }) => declared.type === type && isSameProgram(declared, entry, type));
  const shared = {
    type,
    ...(first?.env === undefined ? {} : { env: first.env }),
    ...(first?.permissions === undefined ? {} : { permissions: first.permissions }),
  };
  const declared = merge(same?.declared ?? shared, { ...entry, type });
  return { declared, path, ...(entry.hooks === undefined ? toHooksPath(declared, same?.hooksPath) : { hooksPath: [...path, 'hooks'] }) };
}

function toHooksPath({ hooks }: DeclaredBackend, path: Path | undefined): Pick<PlacedBackend, 'hooksPath'> {
  return hooks === undefined || path === undefined ? {} : { hooksPath: path };
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

/** The backends of a hat: its own, or those of `cli`. */
export function backendsOf(hat: string, { hats, base }: CompiledBackends): readonly PlacedBackend[] {
  return hats[hat] ?? base;
}

/** The profile of a hat that has the native agent and names none: it may read, and nothing else. */
export const NATIVE_DEFAULT = 'explorer';

/**
 * The profile of a hat: the one that it names, else what the native agent gets without one; `null` where nothing holds the hat back. Of a panel: that of its
 * agents that name none.
 */
export function findProfileName(hat: string, named: string | undefined, backends: CompiledBackends): string | null {
  const open = backendsOf(hat, backends).filter(({ agent }) => agent?.profile === undefined);
  return named ?? (isNative(open) ? NATIVE_DEFAULT : null);
}

/** The profile of an agent of a panel: its own, else that of the hat, else what its backend gets without one; `null` where nothing holds it back. */
export function findAgentProfile({ agent, declared }: PlacedBackend, ofHat: string | undefined): string | null {
  return agent?.profile ?? ofHat ?? (declared.type === 'native' ? NATIVE_DEFAULT : null);
}

/** True where one of the backends is the native agent, which has only the rights that somebody gave it. */
export function isNative(backends: readonly PlacedBackend[]): boolean {
  return backends.some(({ declared }) => declared.type === 'native');
}

export function toBackendSpec({ declared }: PlacedBackend): BackendSpec {
  const {
    type,
    args = [],
    env = {},
    permissions = 'bypass',
    prompt_mode,
    prompt_flag,
    output_format,
    user_settings,
    hooks: _,
    ...others
  } = declared;
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

/** Keys of the native agent mean nothing to any other. */
function withoutNative<Given extends { readonly [Name in NativeKey]?: unknown }>(given: Given): Omit<Given, NativeKey> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(NATIVE_KEYS, name))) as Omit<Given, NativeKey>;
}

type DeclaredNative = ValuesOf<typeof NATIVE_KEYS> & { readonly model?: string };

const CONTEXT_TOKENS: Readonly<Record<NativeProvider, number>> = {
  anthropic: 200_000,
  openai: 256_000,
  google: 1_000_000,
  'openai-compatible': 128_000,
  scripted: 200_000,
};

/** The provider of the model: the one that is named, else the one that the script or the model's name implies. */
export function findProvider({ provider, script, model }: DeclaredNative): NativeProvider | undefined {
  if (provider !== undefined) return provider;
  if (script !== undefined) return 'scripted';
  if (model === undefined) return undefined;
  if (model.startsWith('claude')) return 'anthropic';
  if (/^(?:gpt-|chatgpt|o\d)/.test(model)) return 'openai';
  return model.startsWith('gemini') ? 'google' : undefined;
}

/** The native agent as it is stored and run; every default filled in. */
function toNativeSpec(declared: DeclaredNative): NativeSpec {
  const provider = findProvider(declared) ?? 'anthropic';
  const { base_url: baseUrl, api_key_env: apiKeyEnv, script, effort } = declared;
  return {
    provider,
    ...(baseUrl === undefined || baseUrl === '' ? {} : { baseUrl }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(script === undefined ? {} : { script }),
    ...(effort === undefined ? {} : { effort }),
    context: declared.context ?? 'fresh',
    maxSteps: declared.max_steps ?? null,
    maxCostUsd: declared.max_cost ?? null,
    maxOutputTokens: declared.max_output_tokens ?? null,
    contextTokens:
      declared.context_tokens ?? Math.min(CONTEXT_TOKENS[provider], findListedContext(declared.model ?? '') ?? Number.POSITIVE_INFINITY),
  };
}

/** A backend's label for people and for the journal: `claude (opus)`, `custom:./agent.sh`; no folder of this machine in it. */
export function toLabel(backend: BackendSpec): string {
  const { command, ...rest } = backend;
  const label = toBackendLabel(command === undefined ? rest : { ...rest, command: toProgramName(command) });
  return backend.model === undefined ? label : `${label} (${backend.model})`;
}

function toProgramName(command: string): string {
  return /^[/~]/.test(command) ? command.slice(command.lastIndexOf('/') + 1) : command;
}

/** How many hats work at the same time; nothing where they take turns. Under exclusive routing no event goes to several hats: then the key does nothing. */
export function compileParallel({ event_loop: loop, max_parallel: max }: Declared): Pick<RunSpec, 'maxParallel'> {
  if (loop?.parallel !== true || loop.routing !== 'fanout') return {};
  return { maxParallel: max ?? TOP_KEYS.max_parallel.default };
}

/** Whether turns of the hat may work while others do, of other hats or of itself. */
export function mayWorkInCopies(id: string, declared: Declared): boolean {
  return compileParallel(declared).maxParallel !== undefined || (declared.hats?.[id]?.parallel ?? 1) > 1;
}

/** What keeps a hat from working while others do: it is opened for the folder of the run, and copies have none of it. */
export type AloneCause = 'safe' | 'sandbox' | 'panel' | 'profile';

/** Why a hat takes its turns alone; `null` where it need not. */
export function findAloneCause(id: string, declared: Declared, backends: CompiledBackends): AloneCause | null {
  const hat = declared.hats?.[id];
  if (declared.safe === true) return 'safe';
  if ((hat?.sandbox ?? declared.sandbox?.mode) === 'required') return 'sandbox';
  if ((hat?.panel?.agents ?? []).length >= MIN_PANEL_AGENTS) return 'panel';
  // The tools of the native agent are bound wherever it works.
  const hasPrograms = backendsOf(id, backends).some(({ declared: { type } }) => type !== 'native');
  return hasPrograms && findProfileName(id, hat?.profile, backends) !== null ? 'profile' : null;
}
