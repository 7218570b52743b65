/** One value of git's configuration and where it stands. */
export interface ConfigEntry {
  /** `local` and `worktree` are the repository's own, which whoever can write in it may have planted. */
  readonly scope: string;
  /** As git prints it: section and variable in lower case, the middle as written. */
  readonly key: string;
}

/** What has to be done about the repository's own configuration before git runs. */
export interface GuardPlan {
  /** Settings that go over it. */
  readonly overrides: readonly (readonly [key: string, value: string])[];
  /** Filters of the repository that are switched off, by name. */
  readonly filters: readonly string[];
  /** Settings that decide where a push goes, by which program, and who gets to see what signs it in. */
  readonly network: readonly string[];
  /** Settings that cannot be written over. */
  readonly stubborn: readonly string[];
}

const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const NETWORK =
  /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\..*|url\..*\.(?:push)?insteadof|remote\..*\.(?:vcs|receivepack|uploadpack|proxy|proxyauthmethod)|ssh\.variant|protocol\..*|push\.(?:gpgsign|recursesubmodules))$/s;
/** Of `http.*` these say nothing about who is spoken to. A header is only sent to the address it is given for. */
const HARMLESS_HTTP = /^http\.(?:.*\.)?(?:extraheader|postbuffer|version|lowspeedlimit|lowspeedtime|maxrequests|minsessions|useragent)$/s;

/**
 * Reads off the repository's own configuration what must not have its way.
 *
 * Git starts programs that its configuration names. Fixed ones (hooks, the file system monitor, editors, pagers, gpg) are switched off by every
 * command; what has a name in the middle (`filter.<name>.clean`) can only be switched off where it is known. The person's own configuration
 * (`--global`) is theirs and stays.
 */
export function planGuards(entries: readonly ConfigEntry[]): GuardPlan {
  const own = entries.filter(({ scope }) => scope === 'local' || scope === 'worktree');
  const filters = [...new Set(own.flatMap(({ key }) => FILTER.exec(key)?.[1] ?? []))];
  const overrides = filters.flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((variable) => [`filter.${name}.${variable}`, ''] as const),
    [`filter.${name}.required`, 'false'] as const,
  ]);
  const network = own.map(({ key }) => key).filter((key) => NETWORK.test(key) || (key.startsWith('http.') && !HARMLESS_HTTP.test(key)));
  // `-c name=value` ends the name at the first `=`, and a line feed cannot stand in a name of ours.
  const stubborn = filters.filter((name) => /[=\n\0]/.test(name)).map((name) => `filter.${name}`);
  return { overrides: overrides.filter(([key]) => !/[=\n\0]/.test(key)), filters, network: [...new Set(network)], stubborn };
}

/** Reads what `git config --list -z --show-scope --name-only` prints. */
export function parseConfigList(text: string): readonly ConfigEntry[] {
  const parts = text.split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => ({
    scope: parts[index * 2] ?? '',
    key: parts[index * 2 + 1] ?? '',
  }));
}

/** What is told where filters of the repository were switched off. */
export function toFilterNote(filters: readonly string[]): readonly string[] {
  if (filters.length === 0) return [];
  return [`[the repository's own filters were not run: ${filters.join(', ')}; files that they change may show as modified]`];
}
