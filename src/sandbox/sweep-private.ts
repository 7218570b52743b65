import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, parseJson } from '../core/index.ts';
import { removeTree } from '../process/index.ts';
import { type CarriedLogin, carryLogins } from './carry-logins.ts';

/** Where a turn notes which login files it has copies of. */
export const LOGINS_FILE = 'logins.json';

/**
 * Clears away what turns of a dead process left in a run's folder for private things; tokens that their CLIs refreshed are carried back first. Only for a run
 * that nobody else works on. Never throws.
 */
export function sweepPrivate(privateDir: string): void {
  for (const turn of listNames(privateDir)) {
    const folder = join(privateDir, turn);
    try {
      carryLogins(readLogins(join(folder, LOGINS_FILE)));
      removeTree(folder);
    } catch {
      // It stays until the next time.
    }
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLogins(file: string): readonly CarriedLogin[] {
  try {
    const noted = parseJson(readFileSync(file, 'utf8'));
    const logins = isJsonObject(noted) && Array.isArray(noted['logins']) ? (noted['logins'] as readonly Json[]) : [];
    return logins.flatMap((entry) => (isLogin(entry) ? [entry] : []));
  } catch {
    return [];
  }
}

function isLogin(entry: Json): entry is Json & CarriedLogin {
  if (!isJsonObject(entry) || !['from', 'copy', 'hash'].every((key) => typeof entry[key] === 'string')) return false;
  const tokens = entry['tokens'];
  return Array.isArray(tokens) && tokens.every((name) => typeof name === 'string');
}
