import { type BackendSpec, isRalphError, toBackendLabel } from '../core/index.ts';
import { checkConfig } from '../validation/index.ts';
import { createNativeModel } from './create-native-backend.ts';
import type { DoctorCheck } from './doctor-check.ts';

/** Whether the native agents of this folder's configuration could begin: their packages, keys and scripts are there. Nobody is asked anything. */
export async function checkNativeAgents(cwd: string, env: Readonly<Record<string, string>>): Promise<readonly DoctorCheck[]> {
  const specs = listNative(cwd, env);
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
function listNative(cwd: string, env: Readonly<Record<string, string>>): readonly BackendSpec[] {
  const byModel = new Map<string, BackendSpec>();
  for (const spec of Object.values(readBackends(cwd, env)).flat()) {
    if (spec.type === 'native') byModel.set(JSON.stringify([spec.model, spec.native]), spec);
  }
  return [...byModel.values()];
}

function readBackends(cwd: string, env: Readonly<Record<string, string>>): Readonly<Record<string, readonly BackendSpec[]>> {
  try {
    return checkConfig({ cwd, configFiles: [], env, prompt: 'optional' }).settings?.backends ?? {};
  } catch {
    // What is wrong with the configuration is told by another check.
    return {};
  }
}
