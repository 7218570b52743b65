/** Front door of `views`: folds of a run's records, and what people and programs read of them. */

export { keepWithCauses, toCausalTree } from './causal-tree.ts';
export { cleanText, createTextCleaner, type TextCleaner } from './clean-text.ts';
export { createEventFold, type EventFilter, type EventRow, type EventStatus, matchesFilter } from './event-row.ts';
export { toGateEndText, toRefusalText } from './evidence.ts';
export { type FactRow, type RowLayout, toRowLines, wrapText } from './fact-rows.ts';
export { createRunViewFold, type RunViewFold } from './fold-run-view.ts';
export { createGraphFold, type GraphFold } from './graph-view.ts';
export { createLiveFold, type LiveFold, type LiveView, parseLiveView, type RunProgress, toLiveLine } from './live-view.ts';
export {
  type EndLine,
  type NdjsonLive,
  type NdjsonRecord,
  type RunLine,
  toNdjsonEnd,
  toNdjsonLeftOut,
  toNdjsonLive,
  toNdjsonRecord,
  toNdjsonRun,
} from './ndjson-record.ts';
export { toNextStep } from './next-step.ts';
export { parseFacts } from './parse-facts.ts';
export { cutText, toFirstLine, toPlainLine } from './plain-line.ts';
export { createProofFold, type ProofFold, toProof } from './proof.ts';
export { type Review, type ReviewFacts, type SaidFacts, type SaidText, type TodoLine, toReview } from './review.ts';
export { toReviewMarkdown } from './review-markdown.ts';
export { toReviewDetails, toReviewScreen } from './review-screen.ts';
export {
  type ChangedFile,
  type ChangeFacts,
  type PackageFacts,
  type RunFacts,
  type RunFate,
  toChangeFacts,
  type UnknownFate,
  type WorkPlace,
} from './run-facts.ts';
export { isTurnDone, type ReportFacts, type RunReport, toRunReport } from './run-report.ts';
export { type StatusFacts, type StatusRecord, toEndedView, toRunStatus, toStatusRecord, toWearerText } from './run-status.ts';
export type {
  CheckpointView,
  EndView,
  GateSource,
  GateView,
  GivenEvent,
  HatView,
  NoticeView,
  PublishedEvent,
  RefusedEvent,
  RunProof,
  RunTotals,
  RunView,
  TurnView,
  WaitingEvent,
  WaitView,
} from './run-view.ts';
export { toStatLines, toStatNotes } from './stat-lines.ts';
export { toTurnDetails } from './turn-details.ts';
export { toOutcomeText, toTurnLine } from './turn-line.ts';
export { toCount, toIterationsText, toList, toNumberText } from './words.ts';
