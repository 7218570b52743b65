import { findListedContext, NATIVE_PROVIDERS, type NativeProvider, type NativeSpec } from '../core/index.ts';
import type { Keys, ValuesOf } from './setting.ts';

/** What can be said of the native agent, beside `model`. */
export const NATIVE_KEYS = {
  provider: {
    kind: 'choice',
    doc: '`native`: whose wire format the model speaks; found out by the name of the model where it can be. `scripted` plays `script`.',
    values: NATIVE_PROVIDERS,
  },
  base_url: {
    kind: 'variable',
    doc: '`native`: another address of the provider: anthropic and google without a version, the openai kinds with `/v1`.',
  },
  api_key_env: { kind: 'word', doc: "`native`: the environment variable that holds the key; the provider's usual one by default." },
  script: { kind: 'file', doc: '`native` with `provider: scripted`: a YAML file with what the model says, relative to the workspace.' },
  effort: {
    kind: 'choice',
    doc: '`native`: how much the model thinks, in the way that its provider takes it; as the provider does it by default. A model that takes no such word is told of (`effort-ignored`).',
    values: ['low', 'medium', 'high'],
  },
  context: {
    kind: 'choice',
    doc: '`native`: `fresh` (the default) begins every turn anew, `carry` goes on with the conversation over turns and hats.',
    values: ['fresh', 'carry'],
  },
  max_steps: { kind: 'integer', doc: '`native`: calls of the model in one turn; no limit by default.', min: 1 },
  max_cost: { kind: 'money', doc: '`native`: US dollars that one turn may cost; no limit by default.', above: 0 },
  max_output_tokens: { kind: 'integer', doc: "`native`: the longest answer of the model; the provider's own by default.", min: 1 },
  context_tokens: { kind: 'integer', doc: '`native`: how much the model can read at once; by provider where it is not said.', min: 4000 },
} as const satisfies Keys;

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
