import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AttachedSettings } from '../backends/describe/scope-plan.ts';
import { isJsonObject, type JsonObject, parseJson } from '../core/values/json.ts';
import { type CarriedLogin, toContentHash } from './carry-logins.ts';
import type { Mount } from './plan-confinement.ts';
import type { HomePlan } from './plan-home.ts';

/** Larger files are no settings. */
const MAX_COPY_BYTES = 8 << 20;

/** A home of a turn's own, with copies of what its CLI needs. */
export interface OpenedHome {
  /** Folders of the user's that are to be seen in it. */
  readonly mounts: readonly Mount[];
  /** Copies of login files, to be carried back if the CLI refreshes them. */
  readonly logins: readonly CarriedLogin[];
}

/**
 * Fills a new folder with copies of the files that the plan names, as far as they are there; readable by nobody else.
 *
 * @param folder absolute path of the turn's home outside of the sandbox; is made
 * @param inside its path inside
 * @throws the system error when the folder cannot be written
 */
export function openHome(plan: HomePlan, folder: string, inside: string): OpenedHome {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mounts: Mount[] = [];
  const logins: CarriedLogin[] = [];
  for (const { from, to, kind, tokens = [] } of plan.items) {
    const found = findReal(from);
    if (found === null) continue;
    if (kind === 'folder') {
      if (found.isFolder) mounts.push({ kind: 'readable', path: join(inside, to), from: found.path });
      continue;
    }
    if (!found.isFile || found.bytes > MAX_COPY_BYTES) continue;
    const copy = join(folder, to);
    if (existsSync(copy)) continue;
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    copyFileSync(found.path, copy);
    if (kind === 'login') logins.push({ from: found.path, copy, tokens, hash: toContentHash(readFileSync(copy, 'latin1')) });
  }
  return { mounts, logins };
}

/** Makes folders that a sandbox would show there reachable by links: for a home that no sandbox is put around. */
export function linkFolders(folder: string, inside: string, mounts: readonly Mount[]): void {
  for (const { path, from } of mounts) {
    const link = join(folder, path.slice(inside.length));
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    if (from !== undefined) symlinkSync(from, link);
  }
}

/** Merges into a settings file of a turn's home; a file that is no plain JSON stays as it is. */
export function mergeSettings(folder: string, { path, merge }: AttachedSettings): void {
  const file = join(folder, path);
  // Some CLIs write comments above their settings, each on a line of its own.
  const own = existsSync(file) ? parseJson(readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, '')) : {};
  if (!isJsonObject(own)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(mergeObjects(own, merge)), { mode: 0o600 });
}

function mergeObjects(own: JsonObject, more: JsonObject): JsonObject {
  const merged = Object.entries(more).map(([key, value]) => {
    const before = own[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? mergeObjects(before, value) : value] as const;
  });
  return { ...own, ...Object.fromEntries(merged) };
}

interface Found {
  readonly path: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly bytes: number;
}

/** People keep their settings behind symbolic links: what counts is where they lead. */
function findReal(path: string): Found | null {
  try {
    const real = realpathSync(path);
    const stats = lstatSync(real);
    return { path: real, isFile: stats.isFile(), isFolder: stats.isDirectory(), bytes: stats.size };
  } catch {
    return null;
  }
}
