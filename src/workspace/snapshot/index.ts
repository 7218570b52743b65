/** Door to `workspace/snapshot`: what the files are: trees, differences, snapshots of turns, what is uncommitted. */
export { type Baseline, captureBaseline, listUncommitted, parseBaseline } from './baseline.ts';
export { listChangedPackages } from './changed-packages.ts';
export { createTreeReader } from './create-tree-reader.ts';
