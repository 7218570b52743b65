import { mkdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
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
