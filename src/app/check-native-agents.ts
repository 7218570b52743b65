import type { Settings } from '../config/index.ts';
import { type BackendSpec, findListPrice, isRalphError, toBackendLabel } from '../core/index.ts';
import { type CheckRequest, checkConfig } from '../validation/index.ts';
import { createNativeModel } from './create-native-backend.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { findPrice } from './prices.ts';

type NativeAgentsRequest = CheckRequest & { readonly env: Readonly<Record<string, string>> };

/** Whether the native agents of this folder's configuration could begin: their packages, keys and scripts are there. Nobody is asked anything. */
export async function checkNativeAgents(request: NativeAgentsRequest): Promise<readonly DoctorCheck[]> {
  const { cwd, env } = request;
  const settings = readSettings(request);
  const prices = settings?.prices ?? {};
  const specs = listNative(settings?.backends ?? {});
  if (specs.length === 0) return [];
  const room = await import('../agent/index.ts');
  const place = { hat: '', turnsBefore: 0, stepsBefore: 0, env };
  return Promise.all(
    specs.map(async (spec): Promise<DoctorCheck> => {
      const label = `${toBackendLabel(spec)}${spec.model === undefined ? '' : ` (${spec.model})`}`;
      try {
        await createNativeModel(room, cwd, spec, place);
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
        const text = `${label}: ${error instanceof Error ? error.message : String(error)}`;
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
  try {
    return checkConfig({ ...request, prompt: 'optional' }).settings ?? null;
  } catch {
    // What is wrong with the configuration is told by another check.
    return null;
  }
}
