import { type BackendSpec, isRalphError, toBackendLabel } from '../core/index.ts';
import { type CheckRequest, checkConfig } from '../validation/index.ts';
import { createNativeModel } from './create-native-backend.ts';
import type { DoctorCheck } from './doctor-check.ts';

type NativeAgentsRequest = CheckRequest & { readonly env: Readonly<Record<string, string>> };

/** Whether the native agents of this folder's configuration could begin: their packages, keys and scripts are there. Nobody is asked anything. */
export async function checkNativeAgents(request: NativeAgentsRequest): Promise<readonly DoctorCheck[]> {
  const { cwd, env } = request;
  const specs = listNative(request);
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
          text: `${label}: its packages${spec.native?.provider === 'scripted' ? '' : ' and its key'} are there`,
        };
      } catch (error) {
        const fix = isRalphError(error) ? error.fix : undefined;
        const text = `${label}: ${error instanceof Error ? error.message : String(error)}`;
        return { name: 'native agent', status: 'problem', text, ...(fix === undefined ? {} : { fix: fix.replaceAll('\n', ' ') }) };
      }
    }),
  );
}

/** Each provider and model once. */
function listNative(request: NativeAgentsRequest): readonly BackendSpec[] {
  const byModel = new Map<string, BackendSpec>();
  for (const spec of Object.values(readBackends(request)).flat()) {
    if (spec.type === 'native') byModel.set(JSON.stringify([spec.model, spec.native]), spec);
  }
  return [...byModel.values()];
}

function readBackends(request: NativeAgentsRequest): Readonly<Record<string, readonly BackendSpec[]>> {
  try {
    return checkConfig({ ...request, prompt: 'optional' }).settings?.backends ?? {};
  } catch {
    // What is wrong with the configuration is told by another check.
    return {};
  }
}
