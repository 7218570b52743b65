/**
 * Front door of `landing`: what becomes of the work of a run after its end: it is landed, taken back, offered to others, or its worktree is merged or removed. No run is started
 * here: who lands hands over what starts the turn that resolves a conflict.
 */

export type { HeldRun } from './judge-merge.ts';
export { type LandReport, type LandRequest, type LandWatch, performLanding } from './land-run.ts';
export { offerRun, type PullRequestOrder, type PullRequestReport } from './pr-run.ts';
export type { ResolverTurn } from './resolve-conflict.ts';
export { type UndoReport, type UndoRequest, undoRun } from './undo-run.ts';
export {
  diffRunWorktree,
  findRunWorktree,
  listLeftOutPrograms,
  listRunWorktrees,
  mergeRunWorktree,
  type RunWorktree,
  removeRunWorktree,
} from './worktrees.ts';
