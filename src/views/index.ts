/**
 * Front door of `views`: folds of a run's records, and what people and programs read of them.
 *
 * Which fold gives what (`fold/`; each takes record after record, live or from the journal):
 *
 *   createRunViewFold   the whole run: turns, events, gates, totals, end (`RunView`); `foldRunView` for a list of records
 *   createLiveFold      what the run does at this moment: the turn, its tool calls, gates, waiting (`LiveView`)
 *   createProofFold     whether its completion is proven (`RunProof`)
 *   createEventFold     a row for each event, with what became of it (`EventRow`)
 *   createGraphFold     the flow graph of its team, with how often each way was taken (`FlowGraph`)
 *
 * What is made of views: `report/` (status, report, details of a turn, NDJSON), `review/` (what a person reads before deciding about the work),
 * `text/` (plain texts and rows of facts). Folders import in one direction: text <- fold <- report <- review.
 */

export {
  createEventFold,
  type EventFilter,
  type EventRow,
  type EventStatus,
  keepWithCauses,
  matchesFilter,
  toCausalTree,
} from './fold/fold-events.ts';
export { createGraphFold, type GraphFold } from './fold/fold-graph.ts';
export { createLiveFold, type LiveFold, type LiveView, parseLiveView, type RunProgress, toLiveLine } from './fold/fold-live-view.ts';
export { createProofFold, type ProofFold, toProof } from './fold/fold-proof.ts';
export { createRunViewFold, type RunViewFold } from './fold/fold-run-view.ts';
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
} from './fold/run-view.ts';
export { toStatLines, toStatNotes } from './report/change-text.ts';
export { toGateEndText, toRefusalText } from './report/evidence.ts';
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
} from './report/ndjson-record.ts';
export { toNextStep } from './report/next-step.ts';
export { isTurnDone, type ReportFacts, toRunReport } from './report/run-report.ts';
export { type StatusRecord, toEndedView, toRunStatus, toStatusRecord } from './report/run-status.ts';
export { type StatusFacts, toHatAndBackend } from './report/running-report.ts';
export { toTurnDetails } from './report/turn-details.ts';
export { toOutcomeText, toTurnLine } from './report/turn-line.ts';
export {
  type ChangedFile,
  type ChangeFacts,
  type PackageFacts,
  parseFacts,
  type RunFate,
  toChangeFacts,
  type UnknownFate,
  type WorkFacts,
  type WorkPlace,
} from './report/work-facts.ts';
export { type ReviewFacts, toReview } from './review/create-review.ts';
export type { Review, SaidFacts, SaidText, TodoLine } from './review/review.ts';
export { toReviewMarkdown } from './review/review-markdown.ts';
export { toReviewDetails, toReviewScreen } from './review/review-screen.ts';
export { type FactRow, type RowLayout, type RunReport, toRowLines, wrapText } from './text/fact-rows.ts';
export {
  cleanText,
  createTextCleaner,
  cutText,
  type TextCleaner,
  toCount,
  toFirstLine,
  toIterationsText,
  toList,
  toNumberText,
  toPlainLine,
} from './text/plain-text.ts';
