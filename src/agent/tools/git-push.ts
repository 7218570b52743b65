import { z } from 'zod';
import { defineTool, fail, failWith, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { type CheckedRepository, checkRepository, failGit } from './git/check-repository.ts';
import { isBranchName, isRemoteName } from './git/git-names.ts';
import { checkGitUrl } from './git/git-url.ts';

const PROTECTED = ['main', 'master', 'release/*'];
const PUSH_MS = 180_000;

const parameters = z.strictObject({
  remote: z.string().default('origin').describe('Name of the remote.'),
  branch: z.string().optional().describe('The branch; default: the one that is checked out.'),
  set_upstream: z.boolean().default(false).describe('Remembers the remote branch as upstream of the local one.'),
});

type Args = z.infer<typeof parameters>;

export const gitPushTool = defineTool<Args>({
  name: 'git_push',
  group: 'git_write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  description:
    'Pushes one branch to the branch of the same name on a remote. Never by force, and not to protected branches (main, master, release/*): push a branch of your own and open a pull request. Hooks of the repository are not run.',
  parameters,
  run: async ({ remote, branch, set_upstream: setsUpstream }, context) => {
    if (!isRemoteName(remote))
      return fail(
        'The remote is no name of a remote.',
        'Give the name of a remote that is there, such as origin; add one with git_remote_add.',
      );
    if (branch !== undefined && !isBranchName(branch))
      return fail('The branch is no name of a branch.', 'Give a plain name, such as feature/login.');
    const opened = await checkRepository(context);
    if (!opened.ok) return failWith(opened.refused);
    const repository = opened.value;
    const name = branch ?? (await findCurrentBranch(repository));
    if (name === null) return fail('No branch is checked out.', 'Name the branch to push.');
    const refusal = (await refuseBranch(repository, remote, name, context)) ?? (await refuseTarget(repository, remote, context));
    return refusal ?? push(repository, { remote, name, setsUpstream }, context);
  },
});

async function findCurrentBranch({ git }: CheckedRepository): Promise<string | null> {
  const head = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const name = head.stdout.trim();
  return head.ok && isBranchName(name) ? name : null;
}

/** Protected are the branches that the configuration names, and the one that the remote shows first. */
async function refuseBranch({ git }: CheckedRepository, remote: string, branch: string, context: ToolContext): Promise<ToolResult | null> {
  const patterns = context.protectedBranches ?? PROTECTED;
  const head = await git(['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
  const isDefault = patterns.length > 0 && head.ok && head.stdout.trim() === `${remote}/${branch}`;
  const name = branch.toLowerCase();
  const isNamed = patterns
    .map((pattern) => pattern.toLowerCase())
    .some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  if (!isDefault && !isNamed) return null;
  return fail(
    `${branch} is a protected branch: nothing was pushed.`,
    'Push your work under another name and open a pull request with github_create_pr, or leave the push to a person.',
  );
}

/** Checks where the push would really go, and what the repository says about the way. */
async function refuseTarget({ git, own }: CheckedRepository, remote: string, context: ToolContext): Promise<ToolResult | null> {
  if (own.network.length > 0) {
    return fail(
      `The repository's own configuration decides how a push is made (${own.network.slice(0, 5).join(', ')}): nothing was pushed.`,
      'Whoever can write in the repository may have put it there. A person who wants it keeps it in their own configuration (git config --global) or pushes.',
    );
  }
  const found = await git(['remote', 'get-url', '--push', '--all', '--', remote]);
  if (!found.ok) return failGit(found, 'Give the name of a remote that is there, or add one with git_remote_add.');
  for (const url of found.stdout.split('\n').filter((line) => line !== '')) {
    // A person may have put their name into the address; only what a model adds must be without.
    const checked = checkGitUrl(url.replace(/^(https?:\/\/)[^/@]*@/, '$1'), context.allowedPrivateHosts);
    if (!checked.ok) return fail(`${remote}: ${checked.refused.reason}`, checked.refused.advice);
  }
  return null;
}

interface PushOrder {
  readonly remote: string;
  readonly name: string;
  readonly setsUpstream: boolean;
}

async function push({ git }: CheckedRepository, { remote, name, setsUpstream }: PushOrder, context: ToolContext): Promise<ToolResult> {
  const ref = `refs/heads/${name}`;
  const exists = await git(['show-ref', '--verify', '--quiet', '--', ref]);
  if (!exists.ok) return fail(`There is no branch ${name}, or it has no commit.`, 'Commit first, or name another branch.');
  const args = ['push', '--porcelain', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--receive-pack=git-receive-pack'];
  const answer = await git([...args, ...(setsUpstream ? ['--set-upstream'] : []), '--', remote, `${ref}:${ref}`], {
    protocols: context.allowedPrivateHosts.length > 0 ? 'https:ssh:http' : 'https:ssh',
    timeoutMs: PUSH_MS,
  });
  if (!answer.ok) return failGit(answer, advise(`${answer.problem}\n${answer.stdout}`));
  const isNew = !answer.stdout.split('\n').some((line) => line.startsWith('='));
  return succeed(isNew ? `Pushed ${name} to ${remote}.` : `${remote} has ${name} as it is: nothing to push.`, { branch: name, remote });
}

function advise(problem: string): string {
  if (/non-fast-forward|fetch first|\[rejected\]/.test(problem))
    return 'The remote has commits that are not here, and nothing is forced. Push under another name.';
  if (/could not read Username|Authentication failed|Permission denied|terminal prompts disabled/.test(problem)) {
    return 'This machine is not signed in there: a person has to sign git in. Go on without pushing.';
  }
  return '';
}
