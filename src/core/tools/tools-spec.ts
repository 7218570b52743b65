/** What can search the web for the native agent. */
export const SEARCH_PROVIDERS = ['searxng', 'brave', 'tavily'] as const;

export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** Where the configuration names no variable; `null`: no key is needed. */
const USUAL_KEYS: Readonly<Record<SearchProvider, string | null>> = {
  searxng: null,
  brave: 'BRAVE_API_KEY',
  tavily: 'TAVILY_API_KEY',
};

/** Who is asked when `web_search` is called. */
export interface SearchSpec {
  readonly provider: SearchProvider;
  /** In the place of the provider's own address; may be a private one. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key, in the place of the usual one. */
  readonly apiKeyEnv?: string;
}

/** The environment variable that holds the key of a search; `null`: it needs none. */
export function findSearchKeyName({ provider, apiKeyEnv }: Pick<SearchSpec, 'provider' | 'apiKeyEnv'>): string | null {
  return apiKeyEnv ?? USUAL_KEYS[provider];
}

/** What the configuration says of the tools of the native agent, whatever hat uses them. */
export interface ToolsSpec {
  /** `null`: the web is not searched. */
  readonly search: SearchSpec | null;
  /** `host:port` that may be reached although it is private. */
  readonly privateHosts: readonly string[];
  /** Variables that programs get beside the harmless ones; `*` at the end stands for the rest of a name. */
  readonly passEnv: readonly string[];
  /** Branches that are not pushed to, `*` as above; `null`: the usual ones. */
  readonly protectedBranches: readonly string[] | null;
  /** Files of tools of the user's own by the names of the tools, relative to the workspace. */
  readonly plugins: Readonly<Record<string, string>>;
}

/** What holds where nothing is configured. */
export const NO_TOOLS_SPEC: ToolsSpec = { search: null, privateHosts: [], passEnv: [], protectedBranches: null, plugins: {} };
