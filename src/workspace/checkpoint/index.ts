/** Door to `workspace/checkpoint`: commits that Ralph makes between turns, on the branch that the settings name. */
export { createWorkspace, type GitWorkspace, type Snapshot, type WorkspaceSettings } from './create-workspace.ts';
