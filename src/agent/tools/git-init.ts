import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, fail, failWith, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { failGit, runGit } from './git/check-repository.ts';
import { isBranchName } from './git/git-names.ts';

const parameters = z.strictObject({
  path: z.string().default('.').describe('Folder of the workspace; made if it is not there.'),
  branch: z.string().default('main').describe('Name of the first branch.'),
});

type Args = z.infer<typeof parameters>;

export const gitInitTool = defineTool<Args>({
  name: 'git_init',
  group: 'git_write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description: 'Makes a git repository in the workspace, or in a folder of it. Does nothing where there is one.',
  parameters,
  run: async ({ path, branch }, context) => {
    if (!isBranchName(branch)) return fail('The branch has a name that git does not take.', 'Give a name such as main.');
    const folder = await context.jail.resolveWrite(path);
    if (!folder.ok) return failWith(folder.refused);
    return makeRepository(folder.value, branch, context);
  },
});

async function makeRepository(folder: string, branch: string, context: ToolContext): Promise<ToolResult> {
  const shown = context.jail.toShown(folder);
  if (await isThere(join(folder, '.git')))
    return succeed(`There is a repository in ${shown} already: nothing was done.`, { created: false });
  // Without templates: they hold hooks.
  const answer = await runGit(['init', '--quiet', '--template=', `--initial-branch=${branch}`, '--', folder], context);
  if (!answer.ok) return failGit(answer);
  return succeed(`Made a repository in ${shown} with the branch ${branch}. It has no commit yet.`, { created: true });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
