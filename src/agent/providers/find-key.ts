import { RalphError } from '../../core/index.ts';
import { PROVIDERS, type ProviderSettings } from './provider-kind.ts';

/** What a server on this machine is given where nobody has a key for it: libraries insist on one. */
const NO_KEY = 'none';

/** What of a provider's settings says where its key is, and whether it needs one. */
type KeyPlace = Pick<ProviderSettings, 'kind' | 'baseUrl' | 'apiKeyEnv'>;

/**
 * The key of a provider, from the environment alone.
 *
 * @throws RalphError `native-key` where one is needed and none is there
 */
export function findKey(settings: KeyPlace, env: Readonly<Record<string, string>>): string {
  const names = listKeyEnvs(settings);
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return value;
  }
  if (isKeyOptional(settings)) return NO_KEY;
  throw new RalphError({
    code: 'native-key',
    what: `The native agent has no key for ${settings.kind}: ${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not set.`,
    why: 'Keys are read from the environment only, so that they are in no file and no log.',
    fix: `export ${names[0]}=…\nor name another variable: backend: {type: native, api_key_env: MY_KEY}`,
    exitCode: 2,
  });
}

/** Names of the variables that may hold the key, in the order in which they are looked at. */
export function listKeyEnvs({ kind, apiKeyEnv }: KeyPlace): readonly string[] {
  return apiKeyEnv === undefined ? PROVIDERS[kind].keyEnvs : [apiKeyEnv];
}

function isKeyOptional({ kind, baseUrl, apiKeyEnv }: KeyPlace): boolean {
  if (baseUrl !== undefined && isLoopback(baseUrl)) return true;
  return kind === 'openai-compatible' && apiKeyEnv === undefined;
}

/** True for an address of this machine. */
function isLoopback(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  } catch {
    return false;
  }
}
