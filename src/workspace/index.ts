/**
 * Front door of `workspace`: the folder the agents work in, and what git does for a run in it. `snapshot` (what the files are) <- `watch` (what a hat changed that may not
 * write), `checkpoint` (commits), `worktree` (folders of a run's own) <- `landing`, `undo` (work comes home, or goes back).
 */

export { createWorkspace, type GitWorkspace, type Snapshot, type WorkspaceSettings } from './checkpoint/create-workspace.ts';
export { type Landing, type MergePlace, openLanding } from './landing/landing.ts';
export type { MergeConflict } from './landing/merge-apart.ts';
export { type BranchOffer, openOffer } from './landing/offer-branch.ts';
export { type Baseline, captureBaseline, type DirtyFile, listUncommitted, parseBaseline } from './snapshot/baseline.ts';
export { listChangedPackages } from './snapshot/changed-packages.ts';
export { createTreeReader } from './snapshot/create-tree-reader.ts';
export type { SnapshotMoment } from './snapshot/snapshots.ts';
export type { UndoRemark } from './undo/plan-undo.ts';
export { parseUndoRecord, type UndoRecord } from './undo/undo-record.ts';
export { proposeUndo, type UndoAction, type UndoProposal, type UndoSettings } from './undo/undo-work.ts';
export { createTreeWatch, type TreeLook, type TreeWatch, type TreeWatchSettings } from './watch/create-tree-watch.ts';
export { type Brought, type CopyOrder, type StartFiles, useCopy } from './worktree/copy-apart.ts';
export { createWorktree, type Worktree, type WorktreeOrder } from './worktree/create-worktree.ts';
export type { SharedLinks } from './worktree/link-shared.ts';
export { listPlacesApart, type PlaceOwner, removePlacesApart } from './worktree/place-apart.ts';
export { type RemovedWorktree, removeWorktree, type WorktreeRemoval } from './worktree/remove-worktree.ts';
export {
  diffWorktree,
  listLeftOut,
  listWorktrees,
  mergeWorktree,
  type WorktreeState,
  type WorktreesSettings,
} from './worktree/worktrees.ts';
