import type { Settings } from '../config/settings.ts';
import { findSecretArgs, isSecret, isSecretName, isSecretValue, type SecretValue } from '../core/text/secrets.ts';
import { findSearchKeyName, NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import type { Environment } from '../core/values/environment.ts';

export type SecretSettings = Pick<Settings, 'mcpServers' | 'backends' | 'tools' | 'variables' | 'news'>;

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
  const news = toSecrets({ 'notify.url': settings.news?.url ?? '', 'notify.secret': settings.news?.secret ?? '' });
  return [...given, ...named, ...args, ...news].filter(({ value }) => isSecretValue(value));
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

/** The environment of the gates of a safe run: without any secret that can be told as one. */
export function withoutSecrets<Value extends string | undefined>(env: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isSecretVariable(name, value)));
}

/** Whether a variable holds what can be told as a secret. */
export function isSecretVariable(name: string, value: string | undefined): boolean {
  return !name.startsWith('RALPH_') && (isSecretName(name) || MODEL_KEYS.has(name) || isSecret(name, value ?? ''));
}

/** What models and the accounts of agents are paid and reached with. Tests that an agent wrote have no need of them. */
export const MODEL_KEYS: ReadonlySet<string> = new Set([
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'OPENAI_API_KEY', 'CODEX_API_KEY', 'AZURE_OPENAI_API_KEY'],
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
  ...['XAI_API_KEY', 'DEEPSEEK_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY', 'CLINE_API_KEY', 'KIRO_API_KEY', 'AMP_API_KEY'],
  ...['CURSOR_API_KEY', 'AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN', 'OPENCODE_CONFIG_CONTENT', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
]);

/** The variables without the keys that models and the accounts of agents are reached with. */
export function withoutModelKeys(env: Environment): Readonly<Record<string, string>> {
  return omit(env, MODEL_KEYS);
}

/** An environment for what runs code that agents wrote: without the keys of models, of the search, and of servers. */
export function withoutKeys(
  settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools'>,
  env: Environment,
): Readonly<Record<string, string>> {
  const withheld = new Set([...MODEL_KEYS, ...listKeyNames(settings), ...settings.mcpServers.flatMap(({ tokenEnv }) => tokenEnv ?? [])]);
  return omit(env, withheld);
}

/** The variables that say something. */
export function toDefined(env: Environment): Readonly<Record<string, string>> {
  return omit(env, new Set());
}

function omit(env: Environment, names: ReadonlySet<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !names.has(entry[0])),
  );
}
