import { relative, sep } from 'node:path';
import type { ToolContext } from '../../tool/tool.ts';

export type PathsVerdict = { readonly paths: readonly string[] } | { readonly refused: string; readonly advice: string };

/** Paths that a model gave, through the jail, as git takes them behind `--`: relative to the workspace. */
export async function toGitPaths(given: readonly string[], context: Pick<ToolContext, 'jail'>): Promise<PathsVerdict> {
  const paths: string[] = [];
  for (const path of given) {
    const verdict = await context.jail.resolveRead(path);
    if ('refused' in verdict) return verdict;
    const way = relative(context.jail.workspace, verdict.path);
    if (way.startsWith('..')) return { refused: 'The path is outside of the workspace.', advice: 'Give a path of the workspace.' };
    paths.push(way === '' ? '.' : way.split(sep).join('/'));
  }
  return { paths };
}
