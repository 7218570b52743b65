import { type BackendSpec, findListedContext, type NativeProvider, type NativeSpec, toBackendLabel } from '../../core/index.ts';
import type { Path } from '../findings/located.ts';
import { type BACKEND_KEYS, NATIVE_KEYS } from '../keys/backend-keys.ts';
import type { ValuesOf } from '../keys/setting.ts';

export type DeclaredBackend = ValuesOf<typeof BACKEND_KEYS>;

export type BackendName = NonNullable<DeclaredBackend['type']>;

/** A backend with everything that it inherits, and where it was declared; `null` for one that the command line named. */
export interface PlacedBackend {
  readonly declared: DeclaredBackend & { readonly type: BackendName };
  readonly path: Path | null;
}

/** The backends of everybody, in the order in which `on_limit: switch` tries them; each list holds at least one. */
export interface CompiledBackends {
  /** `cli`: the backends of a hat that names none. */
  readonly base: readonly PlacedBackend[];
  readonly ralph: readonly PlacedBackend[];
  readonly hats: Readonly<Record<string, readonly PlacedBackend[]>>;
}

/** The backends of a hat: its own, or those of `cli`. */
export function backendsOf(hat: string, { hats, base }: CompiledBackends): readonly PlacedBackend[] {
  return hats[hat] ?? base;
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

type DeclaredNative = ValuesOf<typeof NATIVE_KEYS> & { readonly model?: string };

const CONTEXT_TOKENS: Readonly<Record<NativeProvider, number>> = {
  anthropic: 200_000,
  openai: 256_000,
  google: 1_000_000,
  'openai-compatible': 128_000,
  scripted: 200_000,
};

/** Whose model it is: as it was said, else as the script or the name of the model tells; `undefined` where nothing does. */
export function findProvider({ provider, script, model }: DeclaredNative): NativeProvider | undefined {
  if (provider !== undefined) return provider;
  if (script !== undefined) return 'scripted';
  if (model === undefined) return undefined;
  if (model.startsWith('claude')) return 'anthropic';
  if (/^(?:gpt-|chatgpt|o\d)/.test(model)) return 'openai';
  return model.startsWith('gemini') ? 'google' : undefined;
}

/** The native agent as it is stored and run; every default filled in. */
export function toNativeSpec(declared: DeclaredNative): NativeSpec {
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

/** True where one of these backends is the native agent, which has no rights that nobody gave it. */
export function isNative(backends: readonly PlacedBackend[]): boolean {
  return backends.some(({ declared }) => declared.type === 'native');
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
