import { z } from 'zod';
import { defineTool, fail, failWith, succeed } from '../tool/tool.ts';
import { checkRepository, failGit, toFilterNote } from './git/check-repository.ts';
import { isRevisionRange, REF_ADVICE } from './git/git-names.ts';
import { toGitPaths } from './git/git-paths.ts';

const parameters = z.strictObject({
  staged: z.boolean().default(false).describe('Shows what is staged instead of what is not.'),
  ref: z.string().max(500).optional().describe('A commit, branch or range to compare with: HEAD~1, main, main...HEAD.'),
  paths: z.array(z.string()).max(200).default([]).describe('Only these files and folders.'),
  stat: z.boolean().default(false).describe('Only how many lines of which file changed.'),
});

type Args = z.infer<typeof parameters>;

export const gitDiffTool = defineTool<Args>({
  name: 'git_diff',
  group: 'git_read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  description:
    'Shows what changed in the workspace: not yet staged, staged, or against a commit. New files that git does not know are not in it.',
  parameters,
  run: async ({ staged, ref, paths, stat }, context) => {
    if (ref !== undefined && !isRevisionRange(ref)) return fail('The ref is no name of a commit.', REF_ADVICE);
    const checked = await toGitPaths(paths, context);
    if (!checked.ok) return failWith(checked.refused);
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const { git, own } = opened.value;
    const answer = await git(
      [
        ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--relative'],
        ...(staged ? ['--cached'] : []),
        ...(stat ? ['--stat=120'] : []),
        '--end-of-options',
        ...(ref === undefined ? [] : [ref]),
        '--',
        ...(checked.value.length === 0 ? ['.'] : checked.value),
      ],
      { mayBeCut: true },
    );
    if (!answer.ok) return failGit(answer, ref === undefined ? '' : REF_ADVICE);
    const text = answer.stdout === '' ? '(no difference)' : answer.stdout.trimEnd();
    return succeed([text, ...toFilterNote(own.filters)].join('\n'));
  },
});
