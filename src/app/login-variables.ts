import { type BackendSpec, type BackendType, isSecret, isSecretName } from '../core/index.ts';
import { MODEL_KEYS } from './model-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent CLI signs in with, by the beginnings of the names of variables. A CLI that is not here may ask any provider of models. */
const OWN_KEYS: Readonly<Partial<Record<BackendType, RegExp>>> = {
  claude: /^(?:ANTHROPIC|CLAUDE)_|^AWS_BEARER_TOKEN_BEDROCK$/,
  codex: /^(?:OPENAI|CODEX|AZURE_OPENAI)_/,
  gemini: /^(?:GEMINI|GOOGLE)_/,
  qwen: /^(?:OPENAI|DASHSCOPE|QWEN)_/,
  copilot: /^(?:GITHUB|GH|COPILOT)_/,
  amp: /^AMP_/,
  auggie: /^AUGMENT_/,
  kiro: /^KIRO_/,
  cline: /^(?!GITHUB_|GH_)/,
};

/**
 * The environment of an agent of a safe run: without the secrets that it does not sign in with. What the configuration gives it by name (`env`) is not asked about.
 *
 * @param named variables whose keys the configuration names
 */
export function withOwnLogins(env: Environment, { type }: Pick<BackendSpec, 'type'>, named: readonly string[]): Environment {
  const own = OWN_KEYS[type] ?? ANY_PROVIDER;
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
