export interface CommitLine {
  /** Object id. */
  readonly commit: string;
  readonly subject: string;
}

export interface WorkState {
  /** Object id; `null` before the first commit. */
  readonly head: string | null;
  /** Without `refs/heads/`; `null` where HEAD is detached. */
  readonly branch: string | null;
  /** Files that are in no commit as they are: how many, and the first of them, from the top of the repository. */
  readonly uncommitted: { readonly count: number; readonly first: readonly string[] };
  /** Since a commit, the newest first: how many, and the newest of them; `null` where that is not known. */
  readonly commits: { readonly count: number; readonly newest: readonly CommitLine[] } | null;
}
