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

/** Parts of HOME that a variable can move. */
export const CONFIG_HOME = { parentKey: 'XDG_CONFIG_HOME', parent: '.config' } as const;
export const DATA_HOME = { parentKey: 'XDG_DATA_HOME', parent: '.local/share' } as const;
export const CACHE_HOME = { parentKey: 'XDG_CACHE_HOME', parent: '.cache' } as const;

/** The names that CLIs give their tokens. Not among them: scopes, addresses, accounts. */
export const CAMEL_TOKENS = ['accessToken', 'refreshToken', 'idToken', 'expiresAt'] as const;
export const SNAKE_TOKENS = ['access_token', 'refresh_token', 'id_token', 'expiry_date'] as const;
export const SHORT_TOKENS = ['access', 'refresh', 'expires'] as const;
