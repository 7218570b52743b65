import { findRepository, type RepositorySettings } from './find-repository.ts';
import type { Git } from './git.ts';

/** What HEAD was when a run began: where its work starts. */
export interface RunBase {
  /** Object id; `null` outside of git, and before the first commit. */
  readonly commit: string | null;
  /** The branch that was checked out, without `refs/heads/`; `null` where HEAD was detached, and outside of git. */
  readonly branch: string | null;
}

/** Reads it. Never rejects. */
export async function captureBase(settings: RepositorySettings): Promise<RunBase> {
  const search = await findRepository(settings);
  if (!search.found) return { commit: null, branch: null };
  return readHead(search.repository.git);
}

/** What HEAD is. Never rejects. */
export async function readHead(git: Git): Promise<RunBase> {
  const [commit, ref] = await Promise.all([
    git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    git(['symbolic-ref', '--quiet', 'HEAD']),
  ]);
  return { commit: commit.ok ? commit.stdout.trim() : null, branch: ref.ok ? toBranch(ref.stdout.trim()) : null };
}

function toBranch(ref: string): string | null {
  return ref.startsWith(HEADS) ? ref.slice(HEADS.length) : null;
}

const HEADS = 'refs/heads/';
