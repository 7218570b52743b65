import { lstatSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { toErrorCode } from '../../core/index.ts';

/** The names under which a configuration is looked for, the first that exists is taken. */
export const CONFIG_FILE_NAMES = ['ralph.yml', 'ralph.yaml', '.ralph/config.yml'] as const;

/** The configuration file of a folder, relative to it; `null` where there is none. Folders above are not searched. */
export function findConfigFile(cwd: string): string | null {
  return CONFIG_FILE_NAMES.find((name) => isThere(join(cwd, name))) ?? null;
}

/** The configuration of a user, for all folders. */
export interface UserConfigFile {
  /** Absolute. */
  readonly path: string;
  /** As it is shown: `~` for the user's home. */
  readonly shown: string;
}

/**
 * `ralph/config.yml` of the folder that `XDG_CONFIG_HOME` names, by default of `.config` in the folder that `HOME` names; `null` where
 * there is none, or neither variable is an absolute path.
 */
export function findUserConfigFile(env: Readonly<Record<string, string | undefined>>): UserConfigFile | null {
  const { XDG_CONFIG_HOME: xdg = '', HOME: home = '' } = env;
  const folder = isAbsolute(xdg) ? xdg : isAbsolute(home) ? join(home, '.config') : null;
  if (folder === null) return null;
  const path = join(folder, 'ralph', 'config.yml');
  if (!isThere(path)) return null;
  const inside = isAbsolute(home) ? relative(home, path) : '..';
  return { path, shown: inside.startsWith('..') || isAbsolute(inside) ? path : `~/${inside}` };
}

/** What is no file, or cannot be looked at, counts: reading it will say why. Without it its gates and limits would be missing without a word. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return toErrorCode(error) !== 'ENOTDIR';
  }
}
