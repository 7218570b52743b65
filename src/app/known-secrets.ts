import type { Settings } from '../config/index.ts';
import { findSearchKeyName, NO_TOOLS_SPEC } from '../core/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a value has to be to count as a secret where its name does not say so: one long word of letters and digits. */
const KEY_LIKE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=~.-]{16,}$/;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|DSN/i;
/** Shorter values are no secret that can be taken out of a text. */
const minSecretChars = 8;

/**
 * The secrets that the settings bring along, by what stands in their place: what is given to MCP servers, keys of models and tokens under names of the
 * user's own. The secrets of the environment that tell by their names are not among them.
 */
export function findKnownSecrets(settings: Pick<Settings, 'mcpServers' | 'backends' | 'tools'>, env: Environment): Record<string, string> {
  const given = settings.mcpServers.flatMap((server) => [
    ...Object.entries(server.env)
      .filter(([name, value]) => SECRET_NAME.test(name) || KEY_LIKE.test(value))
      .map(([name, value]) => [`${server.name} ${name}`, value] as const),
    ...(server.tokenEnv === undefined ? [] : [[server.tokenEnv, env[server.tokenEnv] ?? ''] as const]),
  ]);
  const keys = listKeyNames(settings).map((name) => [name, env[name] ?? ''] as const);
  return Object.fromEntries([...given, ...keys].filter(([, value]) => value.length >= minSecretChars));
}

/** The variables that hold the keys of models and of the search, as they are configured. */
export function listKeyNames({ backends, tools = NO_TOOLS_SPEC }: Pick<Settings, 'backends' | 'tools'>): readonly string[] {
  const models = Object.values(backends).flatMap((specs) => specs.flatMap(({ native }) => native?.apiKeyEnv ?? []));
  const search = tools.search === null ? null : findSearchKeyName(tools.search);
  return [...new Set([...models, ...(search === null ? [] : [search])])];
}
