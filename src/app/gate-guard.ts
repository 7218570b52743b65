import type { Settings } from '../config/index.ts';
import type { GateRunnerSettings } from '../gates/index.ts';
import { createRedactor } from '../process/index.ts';
import { findKnownSecrets, listKeyNames } from './known-secrets.ts';

/** What models and the accounts of agents are paid and reached with. Tests that an agent wrote have no need of them. */
const MODEL_KEYS = new Set([
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'OPENAI_API_KEY', 'CODEX_API_KEY', 'AZURE_OPENAI_API_KEY'],
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
  ...['XAI_API_KEY', 'DEEPSEEK_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY', 'CLINE_API_KEY', 'KIRO_API_KEY', 'AMP_API_KEY'],
  ...['CURSOR_API_KEY', 'AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN', 'OPENCODE_CONFIG_CONTENT', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
]);

/**
 * What gates run with, and what is taken out of what they show: a gate runs code that agents wrote, and what it prints goes into prompts, the journal
 * and evidence.
 */
export function toGateGuard(
  settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools'>,
  env: Readonly<Record<string, string | undefined>>,
): Required<Pick<GateRunnerSettings, 'env' | 'redact'>> {
  return { env: withoutKeys(settings, env), redact: createRedactor(env, findKnownSecrets(settings, env)) };
}

/** The variables without the keys that models and the accounts of agents are reached with. */
export function withoutModelKeys(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return omit(env, MODEL_KEYS);
}

/** An environment for what runs code that agents wrote: without the keys of models, of the search, and of servers. */
export function withoutKeys(
  settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools'>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const withheld = new Set([...MODEL_KEYS, ...listKeyNames(settings), ...settings.mcpServers.flatMap(({ tokenEnv }) => tokenEnv ?? [])]);
  return omit(env, withheld);
}

function omit(env: Readonly<Record<string, string | undefined>>, names: ReadonlySet<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !names.has(entry[0])),
  );
}
