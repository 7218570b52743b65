/** Door to `workspace/undo`: taking back what a run changed, and bringing it back. */
export type { UndoRemark } from './plan-undo.ts';
export { parseUndoRecord, type UndoRecord } from './undo-record.ts';
export { proposeUndo, type UndoProposal } from './undo-work.ts';
