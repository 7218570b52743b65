/** Door to `workspace/snapshot`: what the files are: trees, differences, snapshots of turns, what is uncommitted. */

export { captureBaseline, listUncommitted } from './baseline.ts';
export { type Baseline, parseBaseline } from './baseline-record.ts';
export { listChangedPackages } from './changed-packages.ts';
export { createTreeReader } from './create-tree-reader.ts';
