import { CONFIG_HOME, type StateFolder } from '../backends/index.ts';

/** What every program of a turn may know of the user: who commits. */
export const COMMON_STATE: readonly StateFolder[] = [
  { folder: '.config/git', ...CONFIG_HOME, login: [], copies: ['config', 'ignore', 'attributes'], folders: [], beside: ['.gitconfig'] },
];

/** Where the folder really is: moved by a variable, or under HOME. */
export function findStateFolder(state: StateFolder, home: string, env: Readonly<Record<string, string | undefined>>): string {
  const own = state.folderKey === undefined ? undefined : env[state.folderKey];
  if (own?.startsWith('/')) return own;
  const moved = state.parentKey === undefined ? undefined : env[state.parentKey];
  if (!moved?.startsWith('/')) return `${home}/${state.folder}`;
  const rest = state.parent === undefined || state.parent === '' ? state.folder : state.folder.slice(state.parent.length + 1);
  return `${moved}/${rest}`;
}
