import { z } from 'zod';
import { defineTool, fail, failWith, succeed } from '../tool/tool.ts';
import { checkRepository, failGit } from './git/check-repository.ts';
import { isRevisionRange, REF_ADVICE } from './git/git-names.ts';
import { toGitPaths } from './git/git-paths.ts';

const MAX_COMMITS = 500;

const parameters = z.strictObject({
  limit: z.number().int().min(1).max(MAX_COMMITS).default(20).describe('How many commits.'),
  ref: z.string().max(500).optional().describe('Where to begin, or a range: main, v1.0..HEAD. Default: HEAD.'),
  path: z.string().optional().describe('Only commits that changed this file or folder.'),
});

type Args = z.infer<typeof parameters>;

export const gitLogTool = defineTool<Args>({
  name: 'git_log',
  group: 'git_read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  description: 'Lists commits, the newest first: short id, date, author, subject, and the branches and tags that point to it.',
  parameters,
  run: async ({ limit, ref, path }, context) => {
    if (ref !== undefined && !isRevisionRange(ref)) return fail('The ref is no name of a commit.', REF_ADVICE);
    const checked = await toGitPaths(path === undefined ? [] : [path], context);
    if (!checked.ok) return failWith(checked.refused);
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const answer = await opened.value.git(
      [
        ...['log', `--max-count=${limit}`, '--format=%h %ad %an%d%n    %s', '--date=iso', '--decorate=short', '--no-show-signature'],
        ...['--no-ext-diff', '--no-textconv', '--no-color', '--end-of-options'],
        ...(ref === undefined ? [] : [ref]),
        '--',
        ...checked.value,
      ],
      { mayBeCut: true },
    );
    if (answer.problem.includes('does not have any commits yet')) return succeed('(no commit yet)');
    if (!answer.ok) return failGit(answer, ref === undefined ? '' : REF_ADVICE);
    return succeed(answer.stdout === '' ? '(no commit)' : answer.stdout.trimEnd());
  },
});
