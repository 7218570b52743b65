import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/index.ts';
import { ensureStateFolders, nodeFileSystem } from '../journal/index.ts';
import { toStateDirs } from './state-dirs.ts';

/** Makes the folders that agents write to; git ignores those that are Ralph's own, never the workspace itself. */
export function openAgentFolders(workspace: string, settings: Settings): void {
  const own = toStateDirs(settings).filter((name) => name !== settings.stateDir);
  ensureStateFolders(
    nodeFileSystem,
    own.map((name) => join(workspace, name)),
  );
  const { eventsFile, scratchpad, workspaceDir } = settings.prompts;
  for (const folder of [dirname(eventsFile), dirname(scratchpad), workspaceDir]) mkdirSync(join(workspace, folder), { recursive: true });
}
