import { demandGit, type Git } from './git.ts';

/** What a checkpoint's commit says. */
export interface CommitOrder {
  readonly tree: string;
  /** Null: a first commit. */
  readonly parent: string | null;
  /** Of a merge: the commit that is merged. */
  readonly merged?: string;
  readonly subject: string;
  readonly runId: string;
}

/** Who commits where the user never told git a name. */
const fallbackIdentity = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/**
 * Makes a commit object that no branch shows yet; its object id. It bears the user's name where git was told one: a name that git
 * would only guess from the account and the host does not count.
 *
 * @throws GitProblem
 */
export async function commitTree(git: Git, order: CommitOrder): Promise<string> {
  const parent = [order.parent, order.merged].flatMap((commit) => (commit === null || commit === undefined ? [] : ['-p', commit]));
  const args = ['commit-tree', ...parent, '-m', order.subject, '-m', `Ralph-Run: ${order.runId}`, order.tree];
  const first = await git(['-c', 'user.useConfigOnly=true', ...args]);
  const id = first.ok ? first.stdout : await demandGit(git, args, { env: fallbackIdentity });
  return id.trim();
}
