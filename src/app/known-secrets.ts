import type { Settings } from '../config/index.ts';
import { findSearchKeyName, findSecretArgs, isSecret, isSecretValue, NO_TOOLS_SPEC, type SecretValue } from '../core/index.ts';

/** Where settings have secrets. */
export type SecretSettings = Pick<Settings, 'mcpServers' | 'backends' | 'tools' | 'variables'>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The secrets that the settings bring along, each by the name that stands in its place: variables that the configuration names, what agents and MCP servers are given in
 * variables and arguments, keys of models and tokens under names of the user's own. The secrets of the environment that tell by their names are not among them.
 */
export function findKnownSecrets(settings: SecretSettings, env: Environment): readonly SecretValue[] {
  const backends = Object.values(settings.backends).flat();
  const given = [
    ...toSecrets(settings.variables ?? {}),
    ...backends.flatMap((spec) => toSecrets(spec.env)),
    ...settings.mcpServers.flatMap(({ name, env: own }) => toSecrets(own).map((secret) => ({ ...secret, name: `${name} ${secret.name}` }))),
  ].filter(({ name, value }) => isSecret(name, value));
  const tokens = settings.mcpServers.flatMap(({ tokenEnv }) => tokenEnv ?? []);
  const named = [...listKeyNames(settings), ...tokens].map((name) => ({ name, value: env[name] ?? '' }));
  const args = [...backends, ...settings.mcpServers].flatMap((program) => findSecretArgs(program.args));
  return [...given, ...named, ...args].filter(({ value }) => isSecretValue(value));
}

function toSecrets(variables: Readonly<Record<string, string>>): readonly SecretValue[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** The variables that hold the keys of models and of the search, as they are configured. */
export function listKeyNames({ backends, tools = NO_TOOLS_SPEC }: Pick<Settings, 'backends' | 'tools'>): readonly string[] {
  const models = Object.values(backends).flatMap((specs) => specs.flatMap(({ native }) => native?.apiKeyEnv ?? []));
  const search = tools.search === null ? null : findSearchKeyName(tools.search);
  return [...new Set([...models, ...(search === null ? [] : [search])])];
}
