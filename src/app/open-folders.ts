import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/index.ts';
import { createSharedFileSystem, ensureStateFolders, makeFolders } from '../journal/index.ts';
import { toStateDirs } from './state-dirs.ts';

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
