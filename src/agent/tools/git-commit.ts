import { dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import type { GitResult } from '../../git/contract.ts';
import { parseStatus, toStatusArguments } from '../../git/status.ts';
import { FALLBACK_IDENTITY, toPathList } from '../../git/trees.ts';
import { defineTool, fail, failWith, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { type CheckedRepository, checkRepository, failGit } from './git/check-repository.ts';
import { findSecretFiles } from './git/find-secret-files.ts';
import { toGitPaths } from './git/git-paths.ts';

const MOST_NAMED = 10;
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
    if (!checked.ok) return failWith(checked.refused);
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const repository = opened.value;
    const changes = await listChangedFiles(repository, checked.value);
    if (!changes.ok) return failWith(changes.refused);
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
async function refuseFiltered({ git, own }: CheckedRepository, files: readonly string[]): Promise<ToolResult | null> {
  if (own.filters.length === 0) return null;
  const answer = await git(['check-attr', '-z', '--stdin', 'filter'], { input: toPathList(files) });
  if (!answer.ok) return failGit(answer);
  const values = answer.stdout.split('\0').filter((_, index) => index % 3 === 2);
  const filtered = files.filter((_, index) => own.filters.includes(values[index] ?? ''));
  if (filtered.length === 0) return null;
  return fail(
    `Nothing was committed: ${toList(filtered)} would go through a filter that the repository's own configuration names, and such programs are not run.`,
    'Name the paths to commit without them; a person commits the others.',
  );
}

interface AgentCommitOrder {
  readonly message: string;
  readonly files: readonly string[];
  /** Only these files, whatever else is staged. */
  readonly isPartial: boolean;
}

async function commit(repository: CheckedRepository, { message, files, isPartial }: AgentCommitOrder): Promise<ToolResult> {
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
  const more = items.length - MOST_NAMED;
  return `${items.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const MOST_FILES = 5000;

/**
 * The files of the workspace that differ from the last commit, staged or not, known to git or not, as absolute paths. Submodules and repositories
 * inside of this one are left out.
 *
 * @param paths relative to the workspace.
 */
async function listChangedFiles({ git, top }: CheckedRepository, paths: readonly string[]): Promise<Result<readonly string[], Refusal>> {
  const answer = await git(toStatusArguments({ submodules: 'passed-over', paths: paths.length === 0 ? ['.'] : paths }));
  if (!answer.ok) return refuse({ reason: answer.problem, advice: '' });
  const { entries } = parseStatus(answer.stdout);
  if (entries.some(({ kind }) => kind === 'unmerged'))
    return refuse({ reason: 'A merge is not finished: nothing was committed.', advice: 'Resolve the files with conflicts first.' });
  // A file that was taken out of the index and is still there has two entries.
  const files = [...new Set(entries.map(({ path }) => path))].filter((path) => !path.endsWith('/'));
  if (files.length > MOST_FILES) {
    const advice = 'Name the paths to commit, or put built files into .gitignore.';
    return refuse({ reason: `${files.length} files are changed: nothing was committed.`, advice });
  }
  return accept(files.map((path) => join(top, path)));
}

/**
 * Sorts files by whether they may be committed: what only Ralph writes may not, and the jail knows what that is. The jail of a hat that may commit but
 * not write refuses everything: there the name has to do.
 */
async function splitByJail(
  files: readonly string[],
  { jail, mayWrite }: Pick<ToolContext, 'jail' | 'mayWrite'>,
): Promise<{ allowed: readonly string[]; refused: readonly string[] }> {
  const verdicts = new Map<string, boolean>();
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const file of files) {
    // By its folder: a link is committed as it is, wherever it leads.
    const folder = dirname(file);
    const known = verdicts.get(folder) ?? (mayWrite ? await mayWriteIn(folder, jail) : !isOfRalph(folder, jail));
    verdicts.set(folder, known);
    (known ? allowed : refused).push(toShown(file, jail));
  }
  return { allowed, refused };
}

async function mayWriteIn(folder: string, jail: ToolContext['jail']): Promise<boolean> {
  return (await jail.resolveWrite(join(folder, 'a-file'))).ok;
}

function isOfRalph(folder: string, jail: ToolContext['jail']): boolean {
  return toShown(folder, jail).toLowerCase().split('/').includes('.ralph');
}

function toShown(file: string, jail: ToolContext['jail']): string {
  return relative(jail.workspace, file).split(sep).join('/');
}
