import type { BackendType } from '../core/index.ts';

/** A folder in which a CLI keeps what it knows of its user. Paths are relative to HOME, and in the lists to the folder. */
export interface StateFolder {
  readonly folder: string;
  /** The variable that moves the folder. */
  readonly folderKey?: string;
  /** The variable that moves the folder this one lies in (`XDG_CONFIG_HOME`), and the part of `folder` that it stands for. */
  readonly parentKey?: string;
  readonly parent?: string;
  /** JSON files with tokens: the turn gets a copy, and the tokens that the CLI refreshed in it are carried back. Never a file that holds settings too. */
  readonly login: readonly string[];
  /** The fields of these files, at any depth, that hold a token or say when one ends. Nothing else is carried back. */
  readonly tokens?: readonly string[];
  /** Files of which the turn gets a copy that is thrown away. */
  readonly copies: readonly string[];
  /** Folders that can be read. */
  readonly folders: readonly string[];
  /** Files beside the folder in HOME, copied as well. With `folderKey` set they lie in the folder. */
  readonly beside?: readonly string[];
}

const CONFIG = { parentKey: 'XDG_CONFIG_HOME', parent: '.config' } as const;
const DATA = { parentKey: 'XDG_DATA_HOME', parent: '.local/share' } as const;
/** The names that CLIs give their tokens. Not among them: scopes, addresses, accounts. */
const CAMEL = ['accessToken', 'refreshToken', 'idToken', 'expiresAt'] as const;
const SNAKE = ['access_token', 'refresh_token', 'id_token', 'expiry_date'] as const;
const SHORT = ['access', 'refresh', 'expires'] as const;
const CACHE = { parentKey: 'XDG_CACHE_HOME', parent: '.cache' } as const;

/** What every program of a turn may know of the user: who commits. */
export const COMMON_STATE: readonly StateFolder[] = [
  { folder: '.config/git', ...CONFIG, login: [], copies: ['config', 'ignore', 'attributes'], folders: [], beside: ['.gitconfig'] },
];

/** What each CLI keeps where, as far as a turn needs it to be signed in and set up as its user likes it. */
export const STATE_FOLDERS: Readonly<Partial<Record<BackendType, readonly StateFolder[]>>> = {
  claude: [
    {
      folder: '.claude',
      folderKey: 'CLAUDE_CONFIG_DIR',
      login: ['.credentials.json'],
      tokens: CAMEL,
      copies: ['settings.json', 'settings.local.json', 'CLAUDE.md', 'keybindings.json'],
      folders: ['agents', 'commands', 'output-styles', 'plugins', 'rules', 'skills'],
      beside: ['.claude.json'],
    },
  ],
  codex: [
    {
      folder: '.codex',
      folderKey: 'CODEX_HOME',
      login: ['auth.json'],
      tokens: [...SNAKE, 'last_refresh'],
      copies: ['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'version.json', 'models_cache.json'],
      folders: ['prompts', 'rules', 'skills'],
    },
  ],
  gemini: [
    {
      folder: '.gemini',
      parentKey: 'GEMINI_CLI_HOME',
      parent: '',
      login: ['oauth_creds.json', 'mcp-oauth-tokens.json'],
      tokens: [...SNAKE, ...CAMEL],
      copies: [
        'google_accounts.json',
        'gemini-credentials.json',
        'settings.json',
        'GEMINI.md',
        'installation_id',
        'trustedFolders.json',
        '.env',
      ],
      folders: ['commands', 'extensions', 'policies', 'skills'],
    },
  ],
  opencode: [
    {
      folder: '.local/share/opencode',
      ...DATA,
      login: ['auth.json', 'mcp-auth.json'],
      tokens: [...SHORT, ...CAMEL],
      copies: [],
      folders: ['bin'],
    },
    {
      folder: '.config/opencode',
      ...CONFIG,
      login: [],
      copies: ['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'package.json', 'package-lock.json', 'bun.lock'],
      folders: ['agent', 'agents', 'command', 'commands', 'node_modules', 'plugin', 'plugins', 'skills', 'themes', 'tool', 'tools'],
    },
    {
      folder: '.cache/opencode',
      ...CACHE,
      login: [],
      copies: ['models.json', 'version', 'package.json', 'bun.lock'],
      folders: ['bin', 'node_modules'],
    },
  ],
  pi: [
    {
      folder: '.pi/agent',
      folderKey: 'PI_CODING_AGENT_DIR',
      login: ['auth.json'],
      tokens: SHORT,
      copies: ['models.json', 'settings.json', 'AGENTS.md', 'SYSTEM.md'],
      folders: ['bin', 'extensions', 'prompts', 'skills', 'themes', 'tools'],
    },
  ],
  copilot: [
    {
      folder: '.copilot',
      folderKey: 'COPILOT_HOME',
      login: [],
      copies: ['config.json', 'settings.json', 'mcp-config.json', 'copilot-instructions.md', 'AGENTS.md'],
      folders: ['agents', 'pkg', 'skills'],
    },
    { folder: '.config/gh', ...CONFIG, login: [], copies: ['hosts.yml', 'config.yml'], folders: [] },
  ],
  qwen: [
    {
      folder: '.qwen',
      login: ['oauth_creds.json'],
      tokens: SNAKE,
      copies: ['settings.json', 'QWEN.md', 'installation_id', 'trustedFolders.json', '.env'],
      folders: ['agents', 'commands', 'extensions', 'skills'],
    },
  ],
  cline: [
    {
      folder: '.cline',
      login: ['data/secrets.json'],
      tokens: CAMEL,
      copies: ['data/globalState.json', 'data/settings/providers.json'],
      folders: ['rules'],
    },
  ],
  auggie: [{ folder: '.augment', login: ['session.json'], tokens: CAMEL, copies: ['settings.json'], folders: ['commands', 'rules'] }],
  amp: [
    { folder: '.local/share/amp', ...DATA, login: [], copies: ['secrets.json'], folders: [] },
    { folder: '.config/amp', ...CONFIG, login: [], copies: ['settings.json', 'AGENTS.md'], folders: ['commands', 'skills'] },
  ],
  kiro: [
    { folder: '.kiro', login: [], copies: ['settings/cli.json', 'settings/mcp.json'], folders: ['agents', 'steering'] },
    { folder: '.local/share/kiro-cli', ...DATA, login: [], copies: ['data.sqlite3'], folders: [] },
  ],
};

/** Where the folder really is: moved by a variable, or under HOME. */
export function findStateFolder(state: StateFolder, home: string, env: Readonly<Record<string, string | undefined>>): string {
  const own = state.folderKey === undefined ? undefined : env[state.folderKey];
  if (own?.startsWith('/')) return own;
  const moved = state.parentKey === undefined ? undefined : env[state.parentKey];
  if (!moved?.startsWith('/')) return `${home}/${state.folder}`;
  const rest = state.parent === undefined || state.parent === '' ? state.folder : state.folder.slice(state.parent.length + 1);
  return `${moved}/${rest}`;
}
