import { z } from 'zod';
import { FALLBACK_IDENTITY, type GitResult, toPathList } from '../../git/index.ts';
import { defineTool, fail, succeed, type ToolResult } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { findSecretFiles } from './find-secret-files.ts';
import { toGitPaths } from './git-paths.ts';
import { listChangedFiles, splitByJail } from './list-changed-files.ts';
import { type CheckedRepository, openRepository } from './open-repository.ts';
import { failGit } from './run-git.ts';

const mostNamed = 10;
/** What hats write to each other goes into a commit only by name, as with checkpoints. */
const SHARED_DIR = '.agent/';

const parameters = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .refine((text) => !text.includes('\0'), 'holds a NUL character')
    .describe('Subject line, and what else there is to say behind an empty line.'),
  paths: z
    .array(z.string())
    .max(200)
    .optional()
    .describe('Files and folders to commit; default: everything that changed in the workspace.'),
});

type Args = z.infer<typeof parameters>;

/**
 * Hooks are off. A commit hook is the person's wish if it was there before the run, and a way out of every fence if an agent put it there; both look
 * the same, and a hat that may commit need not be one that may run commands. What a hook would check belongs into a gate (`gates:`), which Ralph runs
 * itself and no agent can skip. So the tool never asks git to leave a check out (`--no-verify`): there is none for it, and its description says so.
 */
export const gitCommitTool = defineTool<Args>({
  name: 'git_commit',
  group: 'git_write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  description:
    'Commits what changed in the workspace, or only some paths, to the branch that is checked out. Files that look like they hold secrets are refused. Hooks of the repository are not run: run its checks with run_tests and run_lint first.',
  parameters,
  run: async ({ message, paths }, context) => {
    const checked = await toGitPaths(paths ?? [], context);
    if ('refused' in checked) return fail(checked.refused, checked.advice);
    const opened = await openRepository(context);
    if (!opened.ok) return opened.refused;
    const repository = opened.value;
    const changes = await listChangedFiles(repository, checked.paths);
    if (!changes.ok) return fail(changes.refused.reason, changes.refused.advice);
    const { allowed, refused } = await splitByJail(changes.value, context);
    if (paths !== undefined && refused.length > 0)
      return fail(`${toList(refused)} cannot be committed: only Ralph writes there.`, 'Name other paths.');
    const files = paths === undefined ? allowed.filter((file) => !file.startsWith(SHARED_DIR)) : allowed;
    if (files.length === 0) return fail('There is nothing to commit: no file of the workspace is changed.', 'git_status shows what is.');
    const refusal = (await refuseSecrets(files, context)) ?? (await refuseFiltered(repository, files));
    const isPartial = paths !== undefined || files.length < changes.value.length || repository.top !== context.jail.workspace;
    return refusal ?? commit(repository, { message, files, isPartial });
  },
});

async function refuseSecrets(files: readonly string[], { jail }: ToolContext): Promise<ToolResult | null> {
  const secrets = await findSecretFiles(files, jail.workspace);
  if (secrets.length === 0) return null;
  return fail(
    `Nothing was committed: ${toList(secrets)}.`,
    'Put such files into .gitignore, or name the paths to commit without them. If there is no secret in it, a person commits it.',
  );
}

/** A filter that is not run would put into the commit what it is there to hide. */
async function refuseFiltered({ git, guards }: CheckedRepository, files: readonly string[]): Promise<ToolResult | null> {
  if (guards.filters.length === 0) return null;
  const answer = await git(['check-attr', '-z', '--stdin', 'filter'], { input: toPathList(files) });
  if (!answer.ok) return failGit(answer);
  const values = answer.stdout.split('\0').filter((_, index) => index % 3 === 2);
  const filtered = files.filter((_, index) => guards.filters.includes(values[index] ?? ''));
  if (filtered.length === 0) return null;
  return fail(
    `Nothing was committed: ${toList(filtered)} would go through a filter that the repository's own configuration names, and such programs are not run.`,
    'Name the paths to commit without them; a person commits the others.',
  );
}

interface CommitOrder {
  readonly message: string;
  readonly files: readonly string[];
  /** Only these files, whatever else is staged. */
  readonly isPartial: boolean;
}

async function commit(repository: CheckedRepository, { message, files, isPartial }: CommitOrder): Promise<ToolResult> {
  const { git } = repository;
  const list = toPathList(files);
  const added = await git(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], { input: list });
  if (!added.ok) return failGit(added, 'Nothing was committed.');
  // Without paths git commits everything that is staged, which is right where everything was looked at (and needed to end a merge).
  const only = isPartial ? ['--only', '--', ...files] : ['--'];
  const args = ['commit', '--quiet', '--no-gpg-sign', '--no-status', '--cleanup=whitespace', '--file=-', ...only];
  const answer = await commitAsSomebody(repository, args, message);
  if (!answer.ok) return failGit(answer, 'Nothing was committed; what was to be is staged.');
  const shown = await git(['log', '-1', '--format=%h %s', '--shortstat', '--no-show-signature']);
  const id = await git(['rev-parse', 'HEAD']);
  return succeed(`Committed ${shown.stdout.trim()}`, { commit: id.stdout.trim(), files: files.length });
}

async function commitAsSomebody({ git }: CheckedRepository, args: readonly string[], message: string): Promise<GitResult> {
  const first = await git(args, { input: message, config: ['user.useConfigOnly=true'] });
  const isNameless =
    !first.ok && /user\.useConfigOnly|tell me who you are|auto-detection is disabled|no (?:name|email) was given/i.test(first.problem);
  return isNameless ? git(args, { input: message, env: FALLBACK_IDENTITY }) : first;
}

function toList(items: readonly string[]): string {
  const more = items.length - mostNamed;
  return `${items.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
