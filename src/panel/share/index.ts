/** Door of `panel/share`: where an agent works, what it made, shown to the others in folders of their own and brought into the run's folder. */

export { applyWork } from './apply-work.ts';
export { createLeftOutNotes } from './left-out.ts';
export { listChanged } from './list-changed.ts';
export { isTaken, listWorkspace } from './list-workspace.ts';
export { openWorkspace } from './open-workspace.ts';
export { hashSnapshot } from './plan-work.ts';
export { createViewerToken, dropOld, dropViewer, PASSED_OVER, shareSnapshot, toViewFolder } from './share-snapshot.ts';
export { snapshotWork } from './snapshot-work.ts';
export { type BroughtWork, COPIES, createWorkCopies, type RunCopies, toCopyFolder } from './work-copies.ts';
export { readBase, toBasePath } from './workspace-base.ts';
