/**
 * Door to `views/fold`: folds of the records of a run, live or from the journal: the run (`createRunViewFold`), this moment (`createLiveFold`), whether it is proven
 * (`createProofFold`), its events (`createEventFold`), its graph (`createGraphFold`).
 */
export { createEventFold, type EventFilter, type EventRow, keepWithCauses, matchesFilter, toCausalTree } from './fold-events.ts';
export { createGraphFold } from './fold-graph.ts';
export { createLiveFold, type LiveView, parseLiveView, type RunProgress, toLiveLine } from './fold-live-view.ts';
export { createProofFold, toProof } from './fold-proof.ts';
export { createRunViewFold, type RunViewFold } from './fold-run-view.ts';
export type { PanelView } from './panel-view.ts';
export type { QuestionView, RunProof, RunView, TellView, TurnView } from './run-view.ts';
