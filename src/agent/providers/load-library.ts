import type * as Ai from 'ai';
import type { LanguageModel } from 'ai';
import { RalphError } from '../../core/index.ts';
import { findKey } from './find-key.ts';
import { PROVIDERS, type ProviderKind, type ProviderSettings, toLibraryUrl } from './provider-kind.ts';

/** The library that speaks with models, and one model of it. */
export interface LoadedModel {
  readonly ai: Pick<typeof Ai, 'streamText' | 'jsonSchema' | 'tool'>;
  readonly model: LanguageModel;
}

interface Access {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly model: string;
}

/** Each kind's own package is loaded only when it is used. */
const MAKERS: Readonly<Record<ProviderKind, (access: Access) => Promise<LanguageModel>>> = {
  anthropic: async ({ model, ...access }) => (await import('@ai-sdk/anthropic')).createAnthropic(access)(model),
  openai: async ({ model, ...access }) => (await import('@ai-sdk/openai')).createOpenAI(access).responses(model),
  google: async ({ model, ...access }) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model),
  'openai-compatible': async ({ model, apiKey, baseURL }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const access = { name: 'openaiCompatible', baseURL: baseURL ?? '', includeUsage: true };
    return createOpenAICompatible(apiKey === 'none' ? access : { ...access, apiKey })(model);
  },
};

/**
 * Loads the library and makes the model.
 *
 * @throws RalphError `native-key`, `native-packages`
 */
export async function loadLibrary(settings: ProviderSettings, env: Readonly<Record<string, string>>): Promise<LoadedModel> {
  const apiKey = findKey(settings, env);
  const baseURL = toLibraryUrl(settings);
  const access = { apiKey, model: settings.model, ...(baseURL === undefined ? {} : { baseURL }) };
  try {
    const [{ streamText, jsonSchema, tool }, model] = await Promise.all([import('ai'), MAKERS[settings.kind](access)]);
    // It would write its warnings to the terminal.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    return { ai: { streamText, jsonSchema, tool }, model };
  } catch (error) {
    throw isMissing(error) ? toMissingError(settings.kind) : error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND');
}

function toMissingError(kind: ProviderKind): RalphError {
  return new RalphError({
    code: 'native-packages',
    what: `The native agent needs the packages \`ai\` and \`${PROVIDERS[kind].packageName}\`, which are not installed.`,
    why: 'They are optional: who only uses agent CLIs does without them.',
    fix: `npm install ai@6 ${PROVIDERS[kind].packageName}   (with -g where ralph-hats is installed so)`,
  });
}
