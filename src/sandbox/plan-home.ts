import { findCli, type StateFolder } from '../backends/index.ts';
import type { BackendType } from '../core/index.ts';
import { COMMON_STATE, findStateFolder } from './login-files.ts';

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
export function planHome(cli: BackendType, home: string, env: Readonly<Record<string, string | undefined>>): HomePlan {
  const states = [...COMMON_STATE, ...(findCli(cli)?.state ?? [])];
  return {
    items: states.flatMap((state) => toItems(state, home, env)),
    variables: Object.assign({}, ...states.map((state) => toVariables(state, env))) as Record<string, string | null>,
  };
}

function toItems(state: StateFolder, home: string, env: Readonly<Record<string, string | undefined>>): readonly HomeItem[] {
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

function toVariables(state: StateFolder, env: Readonly<Record<string, string | undefined>>): Record<string, string | null> {
  const own = state.folderKey !== undefined && env[state.folderKey] !== undefined ? { [state.folderKey]: state.folder } : {};
  return { ...own, ...(state.parentKey !== undefined && env[state.parentKey] !== undefined ? { [state.parentKey]: null } : {}) };
}
