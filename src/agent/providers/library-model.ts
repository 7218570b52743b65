import type { Model } from '../../ports/index.ts';
import { classifyError } from './classify-error.ts';
import { gatherAnswer } from './gather-answer.ts';
import { loadLibrary } from './load-library.ts';
import type { ProviderSettings } from './provider-kind.ts';
import { toLibraryRequest } from './to-library-request.ts';

/**
 * A model of a provider, over the package that speaks its wire format: nothing is retried by it, and it runs no tool.
 *
 * @throws RalphError `native-key`, `native-packages`
 */
export async function createLibraryModel(settings: ProviderSettings, env: Readonly<Record<string, string>>): Promise<Model> {
  const model = await loadLibrary(settings, env);
  return {
    label: `${settings.kind}/${settings.model}`,
    step: async (request, observe, signal) => {
      try {
        const { stream } = await model.doStream(toLibraryRequest(request, settings, signal));
        return await gatherAnswer(stream, observe);
      } catch (error) {
        return { ok: false, failure: classifyError(error, { isAborted: signal.aborted, now: Date.now() }) };
      }
    },
  };
}
