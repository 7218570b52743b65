import { statSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorCode } from '../core/index.ts';

/** The names under which a configuration is looked for, the first that exists is taken. */
export const CONFIG_FILE_NAMES = ['ralph.yml', 'ralph.yaml', '.ralph/config.yml'] as const;

/** The configuration file of a folder, relative to it; `null` where there is none. Folders above are not searched. */
export function findConfigFile(cwd: string): string | null {
  return CONFIG_FILE_NAMES.find((name) => isFile(join(cwd, name))) ?? null;
}

/** A file that is there but cannot be looked at counts: reading it will say why. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch (error) {
    return toErrorCode(error) !== 'ENOTDIR';
  }
}
