import { basename, isAbsolute } from 'node:path';
import { findCli } from '../backends/clis.ts';
import { type CliStateFolder, CONFIG_HOME } from '../backends/describe/description.ts';
import { type BackendType, isAgentCli } from '../core/backends/backend-spec.ts';
import type { Environment } from '../core/values/environment.ts';

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
export function planHome(cli: BackendType, home: string, env: Environment): HomePlan {
  const states = [...COMMON_STATE, ...(findCli(cli)?.state ?? [])];
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
