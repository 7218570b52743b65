import { removePlacesApart } from '../workspace/index.ts';
import type { Layout } from './layout.ts';
import type { RunFile } from './run-file.ts';
import { toStateDirs } from './state-dirs.ts';

/** Removes the worktrees in which a killed landing of a run, or gates of a killed run, were at work. The caller holds its lock. Throws the system error. */
export function clearPlacesApart(
  layout: Layout,
  { runId, file, env }: { readonly runId: string; readonly file: RunFile; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  return removePlacesApart({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(file.settings),
    programs: file.gitPrograms,
    stateDir: layout.stateDir.slice(layout.root.length + 1),
    runId,
    links: file.settings.worktreeLinks,
  });
}
