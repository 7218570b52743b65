import { type EffortWay, findEffortWay } from '../../core/backends/effort-way.ts';
import { RalphError } from '../../core/values/errors.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { tryOr } from '../../core/values/result.ts';

/** The kinds of providers that speak a wire format of their own. */
export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

export interface ProviderSettings {
  readonly kind: ProviderKind;
  /** The provider's name for it. */
  readonly model: string;
  /** In the form that the provider's own library takes: anthropic and google without a version, the openai kinds with `/v1`. Absent: the provider's own. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key. Absent: the provider's usual ones. */
  readonly apiKeyEnv?: string;
  /** How much the model should think before it speaks. Absent: as the provider does it. */
  readonly effort?: ThinkingEffort;
  /** What requests that begin alike have in common, for providers that take such a key; at most 64 characters. */
  readonly cacheKey?: string;
}

export type ThinkingEffort = 'low' | 'medium' | 'high';

interface ProviderFacts {
  /** The package that speaks its wire format. */
  readonly packageName: string;
  /** The major version of it that this program is written for. */
  readonly packageVersion: string;
  /** Where its key usually is, in the order in which they are looked at. */
  readonly keyEnvs: readonly string[];
  /** What is put behind a base URL that has no version. */
  readonly versionPath: string;
  /** Under which name the library takes options of this kind. */
  readonly optionsName: string;
  readonly toOptions: (settings: ProviderSettings) => JsonObject;
  /** Whether it takes marks that say up to where it should keep what it has read. */
  readonly takesCacheMarks: boolean;
  /** Media types of the files that it takes in results of tools; what a single model does not take, the provider refuses. */
  readonly takes: readonly string[];
  /** Whether this model takes a message of the system behind the results of tools. */
  readonly takesSystemMessages: (model: string) => boolean;
  /** Whether tools are said not to be strict: where nothing is said, they would be, and the schemas would need another form. */
  readonly needsLooseTools: boolean;
}

const PAPERS = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const;

/** Models of Anthropic that take messages of the system in the midst of a conversation; every other refuses the request. */
const SYSTEM_TAKERS = /claude-(?:opus-4-8|opus-5|fable-5|mythos-5)(?![\d.])/;

/** Small models take no more than 24,576, and the longest answer, thinking included, may be one of 32,000. */
const THINKING_TOKENS = { low: 4_000, medium: 12_000, high: 24_000 } as const;

/** What says the effort, by the way that the model takes it; nothing where none is said, or none is taken. */
function toEffort(
  { kind, model, effort }: ProviderSettings,
  words: Partial<Record<EffortWay, (effort: ThinkingEffort) => JsonObject>>,
): JsonObject {
  return effort === undefined ? {} : (words[findEffortWay(kind, model)]?.(effort) ?? {});
}

export const PROVIDERS: Readonly<Record<ProviderKind, ProviderFacts>> = {
  anthropic: {
    packageName: '@ai-sdk/anthropic',
    packageVersion: '3',
    keyEnvs: ['ANTHROPIC_API_KEY'],
    versionPath: '/v1',
    optionsName: 'anthropic',
    // Arguments in small pieces would be of no use to us, and not every server behind another address knows the field.
    toOptions: (settings) => ({
      toolStreaming: false,
      ...toEffort(settings, {
        adaptive: (effort) => ({ thinking: { type: 'adaptive' }, effort }),
        budget: (effort) => ({ thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS[effort] } }),
      }),
    }),
    takes: [...PAPERS, 'image/gif'],
    takesSystemMessages: (model) => SYSTEM_TAKERS.test(model),
    takesCacheMarks: true,
    needsLooseTools: false,
  },
  openai: {
    packageName: '@ai-sdk/openai',
    packageVersion: '3',
    keyEnvs: ['OPENAI_API_KEY'],
    versionPath: '',
    optionsName: 'openai',
    // Nothing is kept with the provider: the conversation is ours, reasoning items travel with it, encrypted.
    toOptions: (settings) => ({
      store: false,
      ...(settings.cacheKey === undefined ? {} : { promptCacheKey: settings.cacheKey }),
      // The package would leave it out for a model whose name it does not know.
      ...toEffort(settings, { effort: (effort) => ({ reasoningEffort: effort, reasoningSummary: 'auto', forceReasoning: true }) }),
    }),
    takes: [...PAPERS, 'image/gif'],
    takesSystemMessages: () => true,
    takesCacheMarks: false,
    needsLooseTools: true,
  },
  google: {
    packageName: '@ai-sdk/google',
    packageVersion: '3',
    keyEnvs: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    versionPath: '/v1beta',
    optionsName: 'google',
    toOptions: (settings) =>
      toEffort(settings, {
        budget: (effort) => ({ thinkingConfig: { thinkingBudget: THINKING_TOKENS[effort], includeThoughts: true } }),
        level: (effort) => ({ thinkingConfig: { thinkingLevel: toLevel(settings.model, effort), includeThoughts: true } }),
      }),
    takes: PAPERS,
    takesSystemMessages: () => false,
    takesCacheMarks: false,
    needsLooseTools: false,
  },
  'openai-compatible': {
    packageName: '@ai-sdk/openai-compatible',
    packageVersion: '2',
    // It can be anybody's server: no key goes there that was not named for it.
    keyEnvs: [],
    versionPath: '',
    optionsName: 'openaiCompatible',
    toOptions: (settings) => toEffort(settings, { effort: (effort) => ({ reasoningEffort: effort }) }),
    takes: [],
    // Templates of many models refuse one that is not the first message.
    takesSystemMessages: () => false,
    takesCacheMarks: false,
    needsLooseTools: false,
  },
};

/** The first of its line knows two levels. */
function toLevel(model: string, effort: ThinkingEffort): ThinkingEffort {
  return effort === 'medium' && /gemini-3-pro/.test(model) ? 'high' : effort;
}

/** The address that the library is given; `undefined` for the provider's own. */
export function toLibraryUrl({ kind, baseUrl }: Pick<ProviderSettings, 'kind' | 'baseUrl'>): string | undefined {
  if (baseUrl === undefined) return undefined;
  const trimmed = baseUrl.replace(/\/+$/, '');
  const { versionPath } = PROVIDERS[kind];
  return /\/v\d+(?:beta|alpha)?$/.test(trimmed) ? trimmed : `${trimmed}${versionPath}`;
}

/** The key for a server on this machine that needs none: libraries insist on one. */
const NO_KEY = 'none';

/** What of a provider's settings says where its key is, and whether it needs one. */
type KeyPlace = Pick<ProviderSettings, 'kind' | 'baseUrl' | 'apiKeyEnv'>;

/**
 * The key of a provider, from the environment alone.
 *
 * @throws RalphError `native-key` where one is needed and none is there
 */
export function requireKey(settings: KeyPlace, env: Readonly<Record<string, string>>): string {
  const names = listKeyEnvs(settings);
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return value;
  }
  if (isKeyOptional(settings)) return NO_KEY;
  throw new RalphError({
    code: 'native-key',
    what: `The native agent has no key for ${settings.kind}: ${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not set.`,
    why: 'Keys are read from the environment only, so that they are in no file and no log.',
    fix: `export ${names[0]}=…\nor name another variable: backend: {type: native, api_key_env: MY_KEY}`,
    exitCode: 2,
  });
}

/** Names of the variables that may hold the key, in the order in which they are looked at. */
export function listKeyEnvs({ kind, apiKeyEnv }: KeyPlace): readonly string[] {
  return apiKeyEnv === undefined ? PROVIDERS[kind].keyEnvs : [apiKeyEnv];
}

function isKeyOptional({ kind, baseUrl, apiKeyEnv }: KeyPlace): boolean {
  if (baseUrl !== undefined && isLoopback(baseUrl)) return true;
  return kind === 'openai-compatible' && apiKeyEnv === undefined;
}

/** True for an address of this machine. */
function isLoopback(url: string): boolean {
  return tryOr(() => {
    const { hostname } = new URL(url);
    return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  }, false);
}
