/** Door to `workspace/checkpoint`: commits that Ralph makes between turns, on the branch that the settings name, and the names of what was there around turns. */

export { nameTrees, readTrees } from '../snapshot/tree-names.ts';
export { createWorkspace, type GitWorkspace, type Snapshot, type WorkLooks, type WorkspaceSettings } from './create-workspace.ts';
