import type { CommitLine, WorkState } from '../core/index.ts';
import type { Baseline } from './baseline.ts';
import { readHead } from './capture-base.ts';
import type { Repository } from './find-repository.ts';
import { listUntouched } from './list-untouched.ts';
import { readStatus } from './read-status.ts';

const MAX_PATHS = 50;
const MAX_COMMITS = 50;
const MAX_SUBJECT = 200;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/**
 * Where a repository stands.
 *
 * @param base object id of the commit since which commits are listed; `null`: all of them
 * @param baseline of a run in a worktree: copies of what is the user's own count as committed; `null`: none
 * @throws GitProblem
 */
export async function readWorkState(repository: Repository, base: string | null, baseline: Baseline | null): Promise<WorkState> {
  const [head, status] = await Promise.all([readHead(repository.git), readStatus(repository)]);
  const untouched = listUntouched(status, repository.top, baseline);
  const paths = [...new Set(status.entries.map(({ path }) => path))].filter((path) => !untouched.has(path));
  return {
    head: head.commit,
    branch: head.branch,
    uncommitted: { count: paths.length, first: paths.slice(0, MAX_PATHS) },
    commits: head.commit === null ? { count: 0, newest: [] } : await readCommits(repository, head.commit, base),
  };
}

async function readCommits({ git }: Repository, head: string, base: string | null): Promise<WorkState['commits']> {
  if (base !== null && !OBJECT_ID.test(base)) return null;
  const range = base === null ? [head] : [head, `^${base}`];
  const [count, log] = await Promise.all([
    git(['rev-list', '--count', ...range]),
    git(['log', '--no-show-signature', '--no-color', '-z', `--max-count=${MAX_COMMITS}`, '--format=%H %s', ...range]),
  ]);
  return count.ok && log.ok ? { count: Number(count.stdout), newest: log.stdout.split('\0').flatMap(toCommit) } : null;
}

function toCommit(line: string): readonly CommitLine[] {
  const end = line.indexOf(' ');
  return end < 0 ? [] : [{ commit: line.slice(0, end), subject: line.slice(end + 1).slice(0, MAX_SUBJECT) }];
}
