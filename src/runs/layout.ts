import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { findConfigFile } from '../config/layers/read-config-file.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Settings } from '../config/settings.ts';
import { makeFolders } from '../journal/file-system.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { ensureStateFolders, requireKind } from '../journal/state-folders.ts';
import { toStateDirs } from '../safety/run-isolation.ts';

/** Where things are, from the folder in which `ralph run` was typed (the main checkout, for a worktree run too). */
export interface Layout {
  /** Absolute. */
  readonly root: string;
  /** `.ralph`: what only the orchestrator writes. */
  readonly stateDir: string;
  readonly runsDir: string;
  readonly worktreesDir: string;
  /** A folder that holds nothing but `ralph`, for the agents' PATH. */
  readonly binDir: string;
}

/** The layout of a root folder. */
export function toLayout(root: string, stateName = '.ralph'): Layout {
  const stateDir = resolve(root, stateName);
  return {
    root: resolve(root),
    stateDir,
    runsDir: join(stateDir, 'runs'),
    worktreesDir: join(stateDir, 'worktrees'),
    binDir: join(stateDir, 'bin'),
  };
}

/** The state folder, seen from the root. */
export function toStateName({ root, stateDir }: Pick<Layout, 'root' | 'stateDir'>): string {
  return relative(root, stateDir);
}

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

/**
 * Whether what Ralph makes in its state folder can be made or is there.
 *
 * @throws RalphError `state-folder` where something else stands in a place of its own: a pipe there would hold whoever opens it
 */
export function requireLayout(layout: Layout): Layout {
  const { stateDir, runsDir, worktreesDir, binDir } = layout;
  for (const path of [stateDir, runsDir, worktreesDir, binDir, join(stateDir, 'rescue')]) requireKind(path, 'folder');
  const files = [join(binDir, 'ralph'), join(stateDir, '.gitignore'), join(stateDir, 'key')];
  for (const path of files) requireKind(path, 'file');
  return layout;
}

/** What a folder's own configuration says of `core.state_dir`. Most say nothing of it, and then the file is not even parsed. */
function readStateName(folder: string): string | undefined {
  const file = findConfigFile(folder);
  if (file === null || !mentions(join(folder, file), 'state_dir')) return undefined;
  try {
    return loadConfig({ cwd: folder, env: readEnvironment() }).draft?.stateDir;
  } catch {
    return undefined;
  }
}

function mentions(file: string, word: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(word);
  } catch {
    return false;
  }
}

/**
 * Makes the folders that agents write to; git ignores those that are Ralph's own, never the workspace itself.
 *
 * @throws RalphError `state-folder`, `events-file-not-a-file`: also where one of Ralph's own is a symbolic link, which agents could have made.
 */
export function openAgentFolders(workspace: string, settings: Settings): void {
  const own = toStateDirs(settings).filter((name) => name !== settings.stateDir);
  const shared = createSharedFileSystem(workspace);
  ensureStateFolders(
    shared,
    own.map((name) => join(workspace, name)),
  );
  const { eventsFile, scratchpad, workspaceDir } = settings.prompts;
  for (const folder of [dirname(eventsFile), dirname(scratchpad), workspaceDir]) {
    const path = join(workspace, folder);
    // In folders of the person's own a link is theirs.
    if (own.some((name) => path.startsWith(join(workspace, name)))) makeFolders(shared, path);
    else mkdirSync(path, { recursive: true });
  }
}
