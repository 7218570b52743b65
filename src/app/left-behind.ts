import type { Settings } from '../config/index.ts';
import { maskControls } from '../core/index.ts';
import { listUncommitted } from '../workspace/index.ts';
import { toLayout } from './layout.ts';
import { toStateDirs } from './state-dirs.ts';
import { captureTrustedPrograms } from './unconfirmed-programs.ts';

const SHOWN = 3;

/** What a person should know before a run begins in a worktree: changes that are not committed are not in it. No sentence where there are none. */
export async function toLeftBehindWarnings(
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
  const [count, have, are] = paths.length === 1 ? ['1 file', 'has', 'is'] : [`${paths.length} files`, 'have', 'are'];
  const more = paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : '';
  return [
    `The run works in a worktree made from the last commit: ${count} here that ${have} uncommitted changes ${are} not as here in it (${paths
      .slice(0, SHOWN)
      .map((path) => maskControls(path))
      .join(', ')}${more}).`,
  ];
}
