import { z } from 'zod';
import { defineTool, failWith, succeed } from '../tool/tool.ts';
import { checkRepository, failGit, toFilterNote } from './git/check-repository.ts';

export const gitStatusTool = defineTool<Record<string, never>>({
  name: 'git_status',
  group: 'git_read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  description:
    'Says which branch is checked out and which files of the workspace are changed, staged or new (git status --porcelain=v2 --branch).',
  parameters: z.strictObject({}),
  run: async (_args, context) => {
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const { git, own } = opened.value;
    // Looking into a submodule would start another git there, which obeys the submodule's own configuration.
    const answer = await git(['status', '--porcelain=v2', '--branch', '--untracked-files=all', '--ignore-submodules=dirty', '--', '.'], {
      mayBeCut: true,
    });
    if (!answer.ok) return failGit(answer);
    const isClean = answer.stdout.split('\n').every((line) => line === '' || line.startsWith('# '));
    return succeed([answer.stdout.trimEnd(), ...(isClean ? ['(nothing changed)'] : []), ...toFilterNote(own.filters)].join('\n'));
  },
});
