import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { type CliDescription, type CliStateFolder, CONFIG_HOME } from '../backends/describe/description.ts';
import type { AttachedSettings } from '../backends/describe/scope-plan.ts';
import { type BackendType, isAgentCli } from '../core/backends/backend-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, type JsonObject, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { type CarriedLogin, toContentHash } from './carry-logins.ts';
import type { Mount } from './plan-confinement.ts';

/** One thing of the user's that a turn's own home holds. */
export interface HomeItem {
  /** Where it is outside; absolute. */
  readonly from: string;
  /** Where it is inside, relative to the turn's home. */
  readonly to: string;
  /** `login`: a copy that is carried back; `copy`: one that is not; `folder`: readable in place. */
  readonly kind: 'login' | 'copy' | 'folder';
  /** Of a `login`: the fields that are carried back. */
  readonly tokens?: readonly string[];
}

/** What goes into the home of a turn, and the variables that must no longer point elsewhere. */
export interface HomePlan {
  readonly items: readonly HomeItem[];
  /** Names of variables; `null`: to be taken out, else the path relative to the turn's home. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/** Plans the home of a turn: what the CLI needs of the user's own, at its usual place under HOME. Pure; whether it is there is not asked. */
export function planHome(cli: Pick<CliDescription, 'state'> | null, home: string, env: Environment): HomePlan {
  const states = [...COMMON_STATE, ...(cli?.state ?? [])];
  return {
    items: states.flatMap((state) => toItems(state, home, env)),
    variables: Object.assign({}, ...states.map((state) => toVariables(state, env))) as Record<string, string | null>,
  };
}

function toItems(state: CliStateFolder, home: string, env: Environment): readonly HomeItem[] {
  const source = findStateFolder(state, home, env);
  const item =
    (kind: HomeItem['kind']) =>
    (name: string): HomeItem => ({ from: `${source}/${name}`, to: `${state.folder}/${name}`, kind });
  const isMoved = state.folderKey !== undefined && source !== `${home}/${state.folder}`;
  const beside = (state.beside ?? []).map(
    (name): HomeItem =>
      isMoved
        ? { from: `${source}/${name}`, to: `${state.folder}/${name}`, kind: 'copy' }
        : { from: `${home}/${name}`, to: name, kind: 'copy' },
  );
  const logins = state.login.map(item('login')).map((login): HomeItem => ({ ...login, tokens: state.tokens ?? [] }));
  return [...logins, ...state.copies.map(item('copy')), ...state.folders.map(item('folder')), ...beside];
}

function toVariables(state: CliStateFolder, env: Environment): Record<string, string | null> {
  const own = state.folderKey !== undefined && env[state.folderKey] !== undefined ? { [state.folderKey]: state.folder } : {};
  return { ...own, ...(state.parentKey !== undefined && env[state.parentKey] !== undefined ? { [state.parentKey]: null } : {}) };
}

/** What every program of a turn may know of the user: who commits. */
const COMMON_STATE: readonly CliStateFolder[] = [
  { folder: '.config/git', ...CONFIG_HOME, login: [], copies: ['config', 'ignore', 'attributes'], folders: [], beside: ['.gitconfig'] },
];

/** Where the folder really is: moved by a variable, or under HOME. */
function findStateFolder(state: CliStateFolder, home: string, env: Environment): string {
  const own = state.folderKey === undefined ? undefined : env[state.folderKey];
  if (own?.startsWith('/')) return own;
  const moved = state.parentKey === undefined ? undefined : env[state.parentKey];
  if (!moved?.startsWith('/')) return `${home}/${state.folder}`;
  const rest = state.parent === undefined || state.parent === '' ? state.folder : state.folder.slice(state.parent.length + 1);
  return `${moved}/${rest}`;
}

/**
 * The CLI whose login and settings a turn's home needs. One that is declared by its command (`acp`, `custom`) keeps them where it always does. A program in
 * the project, named by a relative path, is no such CLI, whatever its name is.
 */
export function toHomeOwner(cli: BackendType, command: string | undefined): BackendType {
  if ((cli !== 'acp' && cli !== 'custom') || command === undefined) return cli;
  if (command.includes('/') && !isAbsolute(command)) return cli;
  const name = basename(command)
    .replace(/\.(?:js|mjs|exe|cmd)$/, '')
    .replace(/(?:-code|-agent|-cli)?-acp$/, '');
  return isAgentCli(name) ? name : cli;
}

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

interface RealFile {
  readonly path: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly bytes: number;
}

/** People keep their settings behind symbolic links: what counts is where they lead. */
function findReal(path: string): RealFile | null {
  return tryOr(() => {
    const real = realpathSync(path);
    const stats = lstatSync(real);
    return { path: real, isFile: stats.isFile(), isFolder: stats.isDirectory(), bytes: stats.size };
  }, null);
}
