import { relative, sep } from 'node:path';
import { accept, type Result, refuse } from '../../../core/values/result.ts';
import type { ToolContext } from '../../tool/tool.ts';

/** Paths that a model gave, through the jail, as git takes them behind `--`: relative to the workspace. */
export async function toGitPaths(given: readonly string[], context: Pick<ToolContext, 'jail'>): Promise<Result<readonly string[]>> {
  const paths: string[] = [];
  for (const path of given) {
    const real = await context.jail.resolveRead(path);
    if (!real.ok) return real;
    const way = relative(context.jail.workspace, real.value);
    if (way.startsWith('..')) return refuse({ reason: 'The path is outside of the workspace.', advice: 'Give a path of the workspace.' });
    paths.push(way === '' ? '.' : way.split(sep).join('/'));
  }
  return accept(paths);
}
