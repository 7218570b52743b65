import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isJsonObject, parseJson } from '../core/index.ts';
import type { Layout } from './layout.ts';

/** A folder in which runs were started. */
export interface KnownProject {
  /** Absolute: the folder of the configuration. */
  readonly root: string;
  /** Absolute: where its runs are. */
  readonly stateDir: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Notes a folder for `ralph runs --all`, in the user's state folder: `$XDG_STATE_HOME/ralph/projects`, by default below `~/.local/state`. One small file a folder, written
 * once. Where that cannot be written, the folder is not in the list, and nothing else is amiss.
 */
export function noteProject({ root, stateDir }: Layout, env: Environment): void {
  const folder = findFolder(env);
  if (folder === null) return;
  const path = join(folder, `${createHash('sha256').update(stateDir).digest('hex').slice(0, 16)}.json`);
  try {
    if (existsSync(path)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${JSON.stringify({ root, stateDir })}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}

/** The folders that were noted and still have runs. The others are forgotten. */
export function listProjects(env: Environment): readonly KnownProject[] {
  const folder = findFolder(env);
  if (folder === null || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readProject(join(folder, name)) ?? []);
}

function readProject(path: string): KnownProject | null {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    const { root, stateDir } = isJsonObject(value) ? value : {};
    if (typeof root === 'string' && typeof stateDir === 'string' && existsSync(join(stateDir, 'runs'))) return { root, stateDir };
    rmSync(path, { force: true });
  } catch {
    // What cannot be read now may be read another time.
  }
  return null;
}

function findFolder({ XDG_STATE_HOME: state = '', HOME: home = '' }: Environment): string | null {
  if (isAbsolute(state)) return join(state, 'ralph', 'projects');
  return isAbsolute(home) ? join(home, '.local', 'state', 'ralph', 'projects') : null;
}
