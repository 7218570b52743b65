/** Door of `panel/share`: where an agent works, what it made, shown to the others in folders of their own and brought into the run's folder. */

export { type AppliedWork, applyWork, type WorkOrder } from './apply-work.ts';
export type { LeftOut, LeftOutList, LeftOutReason } from './left-out.ts';
export { openWorkspace, type WorkspaceOrder } from './open-workspace.ts';
export { createViewerToken, dropOld, dropViewer, shareSnapshot, toViewerRoot } from './share-snapshot.ts';
export { type SnapshotLimits, type SnapshotReport, takeSnapshot } from './take-snapshot.ts';
