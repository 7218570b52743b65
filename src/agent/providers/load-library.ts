import type { createAnthropic } from '@ai-sdk/anthropic';
import { RalphError } from '../../core/values/errors.ts';
import { PROVIDERS, type ProviderKind, type ProviderSettings, requireKey, toLibraryUrl } from './provider-kind.ts';

/** A model as the packages of all kinds make it: one request, one streamed answer. */
export type LibraryModel = ReturnType<ReturnType<typeof createAnthropic>>;

export type LibraryRequest = Parameters<LibraryModel['doStream']>[0];

export type LibraryPiece = Awaited<ReturnType<LibraryModel['doStream']>>['stream'] extends ReadableStream<infer Piece> ? Piece : never;

interface ProviderAccess {
  readonly apiKey: string;
  readonly baseURL?: string;
  readonly model: string;
  readonly fetch: typeof fetch;
}

/** Each kind's own package is loaded only when it is used. */
const MAKERS: Readonly<Record<ProviderKind, (access: ProviderAccess) => Promise<LibraryModel>>> = {
  anthropic: async ({ model, ...access }) => (await import('@ai-sdk/anthropic')).createAnthropic(access)(model),
  openai: async ({ model, ...access }) => (await import('@ai-sdk/openai')).createOpenAI(access).responses(model),
  google: async ({ model, ...access }) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(access)(model),
  'openai-compatible': async ({ model, apiKey, baseURL, fetch }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const access = { name: 'openaiCompatible', baseURL: baseURL ?? '', includeUsage: true, fetch };
    return createOpenAICompatible(apiKey === 'none' ? access : { ...access, apiKey })(model);
  },
};

/**
 * Loads the package of a provider and makes the model.
 *
 * @param heard called for each piece of an answer's body as it comes over the line, whatever it holds
 * @throws RalphError `native-key`, `native-packages`
 */
export async function loadLibrary(
  settings: ProviderSettings,
  env: Readonly<Record<string, string>>,
  heard: () => void,
): Promise<LibraryModel> {
  const apiKey = requireKey(settings, env);
  const baseURL = toLibraryUrl(settings);
  const access = { apiKey, model: settings.model, fetch: createTappedFetch(heard), ...(baseURL === undefined ? {} : { baseURL }) };
  try {
    return await MAKERS[settings.kind](access);
  } catch (error) {
    throw isMissing(error) ? toMissingError(settings.kind) : error;
  }
}

/** The packages tell of an answer what has a meaning to them; that something came at all is only seen here. */
function createTappedFetch(heard: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        heard();
        controller.enqueue(piece);
      },
    });
    return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND');
}

function toMissingError(kind: ProviderKind): RalphError {
  const { packageName, packageVersion } = PROVIDERS[kind];
  return new RalphError({
    code: 'native-packages',
    what: `The native agent needs the package \`${packageName}\`, which is not installed.`,
    why: 'It is optional: who only uses agent CLIs does without it.',
    fix: `npm install ${packageName}@${packageVersion}   (with -g where ralph-hats is installed so)`,
  });
}
