/** Door to `workspace/worktree`: folders of a run's own: made with what the person has not committed, and removed with care. */
export { type Brought, type CopyOrder, type StartFiles, useCopy } from './copy-apart.ts';
export { createWorktree } from './create-worktree.ts';
export { listPlacesApart, removePlacesApart } from './place-apart.ts';
export { type RemovedWorktree, removeWorktree } from './remove-worktree.ts';
export { diffWorktree, listLeftOut, listWorktrees, mergeWorktree, type WorktreeState, type WorktreesSettings } from './worktrees.ts';
