/** Front door of `workspace`: the folder the agents work in, and what git does for a run in it. */
export { type Baseline, type DirtyFile, parseBaseline } from './baseline.ts';
export { captureBase, type RunBase } from './capture-base.ts';
export { captureBaseline } from './capture-baseline.ts';
export { createTreeReader } from './create-tree-reader.ts';
export { createTreeWatch, type TreeLook, type TreeWatch, type TreeWatchSettings } from './create-tree-watch.ts';
export { createWorkspace, type GitWorkspace, type Snapshot, type WorkspaceSettings } from './create-workspace.ts';
export { createWorktree, type Worktree, type WorktreeOrder } from './create-worktree.ts';
export { captureGitPrograms, type RepositorySettings } from './find-repository.ts';
export type { GitPrograms } from './git-programs.ts';
export type { SharedLinks } from './link-shared.ts';
export { listIgnored } from './list-ignored.ts';
export { listTracked } from './list-tracked.ts';
export { listUncommitted } from './list-uncommitted.ts';
export { type RemovedWorktree, removeWorktree, type WorktreeRemoval } from './remove-worktree.ts';
export type { SnapshotMoment } from './snapshot-refs.ts';
export type { WorktreePlace } from './worktree-place.ts';
export { diffWorktree, listLeftOut, listWorktrees, mergeWorktree, type WorktreeState, type WorktreesSettings } from './worktrees.ts';
