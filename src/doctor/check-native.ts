import type { Settings } from '../config/settings.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { findListPrice } from '../core/backends/list-prices.ts';
import { findSearchKeyName, type SearchSpec } from '../core/tools/tools-spec.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import { withPluginFiles } from '../plugins/plugin-files.ts';
import { findPrice } from '../turns/price.ts';
import { type CheckRequest, checkConfig } from '../validation/check-config.ts';

export interface DoctorCheck {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly fix?: string;
}

type NativeAgentsRequest = CheckRequest & { readonly env: Readonly<Record<string, string>> };

/** Whether the native agents of this folder's configuration could begin: their packages, keys and scripts are there. Nobody is asked anything. */
export async function checkNativeAgents(request: NativeAgentsRequest): Promise<readonly DoctorCheck[]> {
  const { cwd, env } = request;
  const settings = readSettings(request);
  const prices = settings?.prices ?? {};
  const specs = listNative(settings?.backends ?? {});
  if (specs.length === 0) return [];
  const { createNativeModel } = await import('../turns/create-native-model.ts');
  const place = { hat: '', turnsBefore: 0, stepsBefore: 0, env };
  return Promise.all(
    specs.map(async (spec): Promise<DoctorCheck> => {
      const label = `${toBackendLabel(spec)}${spec.model === undefined ? '' : ` (${spec.model})`}`;
      try {
        await createNativeModel(cwd, spec, place);
        return {
          name: 'native agent',
          status: 'ok',
          text:
            spec.native?.provider === 'scripted'
              ? `${label}: its packages are there`
              : `${label}: its packages and its key are there; ${priceText(prices, spec)}`,
        };
      } catch (error) {
        const fix = isRalphError(error) ? error.fix : undefined;
        const text = `${label}: ${toErrorMessage(error)}`;
        return { name: 'native agent', status: 'problem', text, ...(fix === undefined ? {} : { fix: fix.replaceAll('\n', ' ') }) };
      }
    }),
  );
}

/** Whose prices its tokens are charged by, and how old these are. */
function priceText(prices: Settings['prices'], { model = '' }: BackendSpec): string {
  const own = findPrice(prices, model);
  if (own !== undefined) return `cost by your prices${own.asOf === undefined ? '' : ` of ${own.asOf}`}`;
  const listed = findListPrice(model);
  return listed === undefined ? 'cost unknown, no `prices` name it' : `cost by list prices of ${listed.asOf}`;
}

/** Each provider and model once. */
function listNative(backends: Settings['backends']): readonly BackendSpec[] {
  const byModel = new Map<string, BackendSpec>();
  for (const spec of Object.values(backends).flat()) {
    if (spec.type === 'native') byModel.set(JSON.stringify([spec.model, spec.native]), spec);
  }
  return [...byModel.values()];
}

function readSettings(request: NativeAgentsRequest): Settings | null {
  // What is wrong with the configuration is told by another check.
  return tryOr(() => checkConfig({ ...request, prompt: 'optional' }).settings ?? null, null);
}

/** Whether what the configuration says of tools is there: the key of the search, the files of tools. Nobody is asked anything, and no module runs. */
export async function checkToolParts(request: NativeAgentsRequest): Promise<readonly DoctorCheck[]> {
  const settings = readSettings(request);
  if (settings?.tools === undefined) return [];
  const { search, plugins } = settings.tools;
  return [
    ...(search === null ? [] : [await checkSearch(search, request.env)]),
    ...(Object.keys(plugins).length === 0 ? [] : [checkPlugins(settings, request.cwd)]),
  ];
}

async function checkSearch(search: SearchSpec, env: NativeAgentsRequest['env']): Promise<DoctorCheck> {
  const { createSearch } = await import('../agent/index.ts');
  const { whyMissing } = createSearch(search, env);
  const variable = findSearchKeyName(search);
  if (whyMissing === null) {
    const text = variable === null ? `${search.provider}, which needs no key` : `${search.provider}: its key is there`;
    return { name: 'web_search', status: 'ok', text };
  }
  return {
    name: 'web_search',
    status: 'warning',
    text: whyMissing,
    fix: `Hats with the native agent do not get web_search. To have it: export ${variable}=…`,
  };
}

function checkPlugins(settings: Settings, cwd: string): DoctorCheck {
  const names = Object.keys(settings.tools?.plugins ?? {});
  try {
    withPluginFiles(settings, cwd);
    return { name: 'tools', status: 'ok', text: `the files of ${names.join(', ')} are there; what is in them: ralph tools` };
  } catch (error) {
    if (!isRalphError(error)) throw error;
    return { name: 'tools', status: 'problem', text: error.message, fix: 'Correct `tools.plugins`: no run starts without.' };
  }
}
