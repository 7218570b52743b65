import type { Settings } from '../config/index.ts';
import { maskControls } from '../core/index.ts';
import { listUncommitted } from '../workspace/index.ts';
import { toLayout } from './layout.ts';
import { toStateDirs } from './state-dirs.ts';
import { captureTrustedPrograms } from './unconfirmed-programs.ts';

const SHOWN = 3;

/** What a person should know before a run begins in a worktree: which changes of theirs it takes along, and leaves uncommitted. No sentence where there are none. */
export async function toTakenAlongWarnings(
  settings: Settings,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const programs = await captureTrustedPrograms(toLayout(cwd, settings.stateDir), { cwd, env });
  const uncommitted = await listUncommitted({ cwd, env, stateDirs: toStateDirs(settings), programs });
  // What Ralph itself reads here counts in the worktree too.
  const read = new Set([...settings.configFiles, settings.objective.file]);
  const paths = uncommitted.filter((path) => !read.has(path));
  if (paths.length === 0) return [];
  const [count, come, stay, them] =
    paths.length === 1 ? ['1 file', 'comes', 'stays', 'it'] : [`${paths.length} files`, 'come', 'stay', 'them'];
  const more = paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : '';
  const names = paths
    .slice(0, SHOWN)
    .map((path) => maskControls(path))
    .join(', ');
  return [
    `${count} with changes of yours that are not committed ${come} along into the worktree, and ${stay} out of its commits, whatever an agent changes in ${them} (${names}${more}).`,
  ];
}
