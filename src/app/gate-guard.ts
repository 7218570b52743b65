import type { Settings } from '../config/index.ts';
import type { GateRunnerSettings } from '../gates/index.ts';
import { createRedactor } from '../process/index.ts';
import { findKnownSecrets, listKeyNames } from './known-secrets.ts';
import { withoutSecrets } from './login-variables.ts';
import { MODEL_KEYS } from './model-keys.ts';

/**
 * What gates run with, and what is taken out of what they show: a gate runs code that agents wrote, and what it prints goes into prompts, the journal
 * and evidence.
 */
export function toGateGuard(
  settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools' | 'isSafe'>,
  env: Readonly<Record<string, string | undefined>>,
): Required<Pick<GateRunnerSettings, 'env' | 'redact'>> {
  const own = withoutKeys(settings, env);
  return { env: settings.isSafe === true ? withoutSecrets(own) : own, redact: createRedactor(env, findKnownSecrets(settings, env)) };
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
