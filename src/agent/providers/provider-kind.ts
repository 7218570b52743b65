import type { JsonObject } from '../../core/index.ts';

/** The kinds of providers that speak a wire format of their own. */
export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

/** What a model of a provider is made of. */
export interface ProviderSettings {
  readonly kind: ProviderKind;
  /** The provider's name for it. */
  readonly model: string;
  /** In the form that the provider's own library takes: anthropic and google without a version, the openai kinds with `/v1`. Absent: the provider's own. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key. Absent: the provider's usual ones. */
  readonly apiKeyEnv?: string;
  /** How much the model should think before it speaks. Absent: as the provider does it. */
  readonly effort?: Effort;
}

export type Effort = 'low' | 'medium' | 'high';

/** What is particular to a kind. */
export interface ProviderFacts {
  /** The package that speaks its wire format. */
  readonly packageName: string;
  /** The versions of it that speak with us. */
  readonly packageVersion: string;
  /** Where its key usually is, in the order in which they are looked at. */
  readonly keyEnvs: readonly string[];
  /** What is put behind a base URL that has no version. */
  readonly versionPath: string;
  /** Under which name the library takes options of this kind. */
  readonly optionsName: string;
  readonly toOptions: (effort: Effort | undefined) => JsonObject;
  /** Whether it takes marks that say up to where it should keep what it has read. */
  readonly takesCacheMarks: boolean;
  /** Whether tools are said not to be strict: where nothing is said, they would be, and the schemas would need another form. */
  readonly needsLooseTools: boolean;
}

const THINKING_TOKENS = { low: 4_000, medium: 12_000, high: 32_000 } as const;

/** What we know of each kind. */
export const PROVIDERS: Readonly<Record<ProviderKind, ProviderFacts>> = {
  anthropic: {
    packageName: '@ai-sdk/anthropic',
    packageVersion: '3',
    keyEnvs: ['ANTHROPIC_API_KEY'],
    versionPath: '/v1',
    optionsName: 'anthropic',
    // Arguments in small pieces would be of no use to us, and not every server behind another address knows the field.
    toOptions: (effort) => ({
      toolStreaming: false,
      ...(effort === undefined ? {} : { thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS[effort] } }),
    }),
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
    toOptions: (effort) => ({ store: false, ...(effort === undefined ? {} : { reasoningEffort: effort, reasoningSummary: 'auto' }) }),
    takesCacheMarks: false,
    needsLooseTools: true,
  },
  google: {
    packageName: '@ai-sdk/google',
    packageVersion: '3',
    keyEnvs: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    versionPath: '/v1beta',
    optionsName: 'google',
    toOptions: (effort) =>
      effort === undefined ? {} : { thinkingConfig: { thinkingBudget: THINKING_TOKENS[effort], includeThoughts: true } },
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
    toOptions: (effort) => (effort === undefined ? {} : { reasoningEffort: effort }),
    takesCacheMarks: false,
    needsLooseTools: false,
  },
};

/** The address that the library is given; `undefined` for the provider's own. */
export function toLibraryUrl({ kind, baseUrl }: Pick<ProviderSettings, 'kind' | 'baseUrl'>): string | undefined {
  if (baseUrl === undefined) return undefined;
  const trimmed = baseUrl.replace(/\/+$/, '');
  const { versionPath } = PROVIDERS[kind];
  return /\/v\d+(?:beta|alpha)?$/.test(trimmed) ? trimmed : `${trimmed}${versionPath}`;
}
