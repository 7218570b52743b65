import { findCli } from '../backends/index.ts';
import { type BackendSpec, isSecret, isSecretName } from '../core/index.ts';
import { MODEL_KEYS } from './model-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of an agent of a safe run: without the secrets that it does not sign in with. What the configuration gives it by name (`env`) is not asked about.
 *
 * @param named variables whose keys the configuration names
 */
export function withOwnLogins(env: Environment, { type }: Pick<BackendSpec, 'type'>, named: readonly string[]): Environment {
  const own = findCli(type)?.keys ?? ANY_PROVIDER;
  const isOwn = (name: string): boolean => named.includes(name) || (MODEL_KEYS.has(name) && own.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => isOwn(name) || !isSecretVariable(name, value)));
}

const ANY_PROVIDER = /^(?!GITHUB_|GH_|AWS_)/;

/** The environment of the gates of a safe run: without any secret that can be told as one. */
export function withoutSecrets<Value extends string | undefined>(env: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isSecretVariable(name, value)));
}

function isSecretVariable(name: string, value: string | undefined): boolean {
  return !name.startsWith('RALPH_') && (isSecretName(name) || MODEL_KEYS.has(name) || isSecret(name, value ?? ''));
}
