import type { Model, ModelFailure } from '../../ports/index.ts';
import { classifyError } from './classify-error.ts';
import { listKeyEnvs } from './find-key.ts';
import { gatherAnswer } from './gather-answer.ts';
import { loadLibrary } from './load-library.ts';
import { PROVIDERS, type ProviderSettings } from './provider-kind.ts';
import { toLibraryRequest } from './to-library-request.ts';

/**
 * A model of a provider, over the package that speaks its wire format: nothing is retried by it, and it runs no tool.
 *
 * @throws RalphError `native-key`, `native-packages`
 */
export async function createLibraryModel(settings: ProviderSettings, env: Readonly<Record<string, string>>): Promise<Model> {
  let heard = (): void => undefined;
  const model = await loadLibrary(settings, env, () => heard());
  return {
    label: `${settings.kind}/${settings.model}`,
    takes: PROVIDERS[settings.kind].takes,
    step: async (request, observe, signal) => {
      let isOpen = true;
      heard = () => (isOpen ? observe({ type: 'alive' }) : undefined);
      try {
        const { stream } = await model.doStream(toLibraryRequest(request, settings, signal));
        return await gatherAnswer(stream, observe);
      } catch (error) {
        return { ok: false, failure: explainFailure(classifyError(error, { isAborted: signal.aborted, now: Date.now() }), settings) };
      } finally {
        isOpen = false;
      }
    },
  };
}

/** Says to what a person has set the failure may be due. */
function explainFailure(failure: ModelFailure, settings: ProviderSettings): ModelFailure {
  const { kind, model, baseUrl } = settings;
  const at = baseUrl === undefined ? kind : `${kind} at ${baseUrl}`;
  if (failure.class === 'auth') {
    const names = listKeyEnvs(settings);
    const advice =
      names.length === 0
        ? 'no key is sent there: name its variable as api_key_env'
        : `see whether the key in ${names.join(' or ')} is right`;
    return { ...failure, message: `${failure.message} (${at}; ${advice})` };
  }
  if (failure.message.startsWith('Cannot connect')) return { ...failure, message: `${failure.message} (${at})` };
  if (!failure.message.startsWith('HTTP 404')) return failure;
  return { ...failure, message: `${failure.message} (${at}; see whether there is a model ${model}, and whether base_url is right)` };
}
