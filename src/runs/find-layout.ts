import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { findConfigFile, MAX_CONFIG_BYTES } from '../config/layers/read-config-file.ts';
import { readTextFile } from '../config/layers/read-text-file.ts';
import { readConfig } from '../config/load-config.ts';
import { tryOr } from '../core/values/result.ts';
import { requireKind } from '../journal/state-folders.ts';
import { type Layout, toLayout } from './layout.ts';

/**
 * The layout that a command without a run of its own works on: the nearest folder upwards that has runs, a rescued one or a queue, else `cwd`. So `ralph show` works from a
 * subfolder and from inside a worktree run, whose journal stays in the main checkout.
 *
 * @throws RalphError `state-folder`
 */
export function findLayout(cwd: string): Layout {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const layout = toLayout(folder, readStateName(folder));
    if ([layout.runsDir, join(layout.stateDir, 'rescue'), join(layout.stateDir, 'queue.json')].some((path) => existsSync(path)))
      return requireFolders(layout);
    if (dirname(folder) === folder) return requireFolders(toLayout(cwd, readStateName(cwd)));
  }
}

/** Only what every command needs: what an agent puts in another place may hinder a start, and never what stops a run. */
function requireFolders(layout: Layout): Layout {
  for (const path of [layout.stateDir, layout.runsDir]) requireKind(path, 'folder');
  return layout;
}

/** What a folder's own configuration says of `core.state_dir`. Most say nothing of it, and then the file is not even parsed. */
function readStateName(folder: string): string | undefined {
  const file = findConfigFile(folder);
  if (file === null || !mentions(join(folder, file), 'state_dir')) return undefined;
  return tryOr(() => readConfig({ cwd: folder, env: readEnvironment() }).draft?.stateDir, undefined);
}

/** Agents may put anything in the place of the file: a pipe would hold up every command, `ralph stop` too. */
function mentions(file: string, word: string): boolean {
  const text = readTextFile(file, MAX_CONFIG_BYTES);
  return text.ok && text.value.includes(word);
}
