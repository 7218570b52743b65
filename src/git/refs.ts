import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { maskControls } from '../core/text/mask-controls.ts';
import type { Git, Repository } from './contract.ts';
import { demandGit, GitProblem } from './git.ts';
import { readCommonDir } from './git-places.ts';

/** A branch by its whole name: a tag of the same name is another thing. */
export function toRef(branch: string): string {
  return `refs/heads/${branch}`;
}

/** The object id of the commit that a name stands for; `null` where there is none. Never rejects. */
export async function readCommit(git: Git, name: string): Promise<string | null> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return found.ok ? found.stdout.trim() : null;
}

/** Whether a commit is another one or among those that it builds on. Never rejects. */
export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', older, newer])).ok;
}

/** How many commits one name has and the other has not. Throws GitProblem. */
export async function countCommits(git: Git, without: string, of: string): Promise<number> {
  return Number(await demandGit(git, ['rev-list', '--count', `${without}..${of}`]));
}

/** For a git command that moves a branch: no log is begun. What there is of logs goes on. */
export const WITHOUT_NEW_LOGS: readonly string[] = ['core.logAllRefUpdates=false'];

/**
 * An agent may have written into git's folder what would send Ralph's own writing elsewhere: refuses where the index, the HEAD, the branch or a log of them is a link or no
 * plain file, and where the branch is only another name for another one.
 *
 * @throws GitProblem
 */
export async function demandPlainBranch({ git, gitDir }: Pick<Repository, 'git' | 'gitDir'>, branch: string): Promise<void> {
  const common = readCommonDir(gitDir);
  const odd = [
    ...['index', 'HEAD', 'logs/HEAD'].map((path) => findOdd(gitDir, path)),
    ...[toRef(branch), `logs/${toRef(branch)}`].map((path) => findOdd(common, path)),
  ].find((path) => path !== null);
  if (odd !== undefined) throw new GitProblem(`${maskControls(odd)} is a link or no plain file`);
  const other = await git(['symbolic-ref', '--quiet', toRef(branch)]);
  if (other.ok) throw new GitProblem(`${maskControls(branch)} is only another name for another branch`);
}

/** The first part of a path below a folder that is not what it must be: folders, with a file at the end; what is not there is nothing odd. */
function findOdd(folder: string, path: string): string | null {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const place = join(folder, ...parts.slice(0, count));
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (count === parts.length ? !stat.isFile() : !stat.isDirectory()) return place;
  }
  return null;
}

/** The short name of the branch that the HEAD leads to in the end, or `no branch`; fit to be shown. */
export async function readCurrentBranch({ git }: Pick<Repository, 'git'>): Promise<string> {
  const current = await git(['symbolic-ref', '--quiet', 'HEAD']);
  return current.ok ? maskControls(current.stdout.trim().replace('refs/heads/', '')) : 'no branch';
}

/**
 * Takes a worktree back to its branch where an agent left it on another one: first the branch goes on to where the agent was, if it only has to be moved forward. Index and
 * files stay as they are.
 *
 * @throws GitProblem where the branch has other commits, or another working tree has it
 */
export async function returnToBranch(repository: Pick<Repository, 'git'>, branch: string): Promise<void> {
  const { git } = repository;
  const ref = toRef(branch);
  if ((await git(['symbolic-ref', '--quiet', 'HEAD'])).stdout.trim() === ref) return;
  const [head, tip] = await Promise.all([demandGit(git, ['rev-parse', 'HEAD']), git(['rev-parse', '--verify', '--quiet', ref])]);
  const isSame = tip.ok && head === tip.stdout;
  const isBehind = !tip.ok || (await isAncestor(git, tip.stdout.trim(), head.trim()));
  const elsewhere = (await git(['for-each-ref', '--format=%(worktreepath)', ref])).stdout.trim();
  if (!isBehind || elsewhere !== '') {
    throw new GitProblem(`the worktree is on ${await readCurrentBranch(repository)}, whose commits ${branch} has not`);
  }
  const config = { config: WITHOUT_NEW_LOGS };
  if (!isSame)
    await demandGit(git, ['update-ref', '--no-deref', '-m', 'ralph: end of the run', ref, head.trim(), tip.stdout.trim()], config);
  await demandGit(git, ['symbolic-ref', '-m', 'ralph: end of the run', 'HEAD', ref], config);
}

/** Absolute path of the working tree in which a branch is checked out; null: in none. Throws GitProblem. */
export async function findCheckout({ git }: Pick<Repository, 'git'>, branch: string): Promise<string | null> {
  const format = '--format=%(refname)%00%(worktreepath)%00';
  const [, path = ''] = (await demandGit(git, ['for-each-ref', format, toRef(branch)])).split('\0');
  return path === '' ? null : path;
}
