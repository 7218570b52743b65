import type { Settings } from '../config/index.ts';
import { type BackendSpec, RALPH } from '../core/index.ts';

/**
 * Looks whether the native agents that a run begins with have the package and the key of their provider: without them every turn would fail, one after
 * the other. Those that only stand in for others are not looked at, nor is Ralph where he is only the safety net of a team.
 *
 * @param isSafetyNet whether the hats coordinate themselves
 * @throws RalphError `native-key`, `native-packages`
 */
export async function requireNativeAccess(
  { backends }: Pick<Settings, 'backends'>,
  isSafetyNet: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const specs = Object.entries(backends)
    .filter(([hat]) => !(isSafetyNet && hat === RALPH))
    .flatMap(([, list]) => list.slice(0, 1))
    .filter(isAsking);
  if (specs.length === 0) return;
  const { createLibraryModel } = await import('../agent/index.ts');
  for (const { native, model = '', env: own } of specs) {
    const { provider: kind, baseUrl, apiKeyEnv } = native;
    if (kind === 'scripted') continue;
    const settings = { kind, model, ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
    await createLibraryModel(settings, toDefined({ ...env, ...own }));
  }
}

/** A script needs no key. */
function isAsking(spec: BackendSpec): spec is BackendSpec & { readonly native: NonNullable<BackendSpec['native']> } {
  return spec.type === 'native' && spec.native !== undefined && spec.native.provider !== 'scripted';
}

function toDefined(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
