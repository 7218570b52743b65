/** Door to `views/frame`: what the faces of a run show at one moment (`toRunFrame`), its turns and events page by page, its timeline. Plain JSON. */
export type { EvidenceRow } from './evidence-rows.ts';
export type { HatRow } from './hat-rows.ts';
export { toListRow } from './list-row.ts';
export type { ReportData, ReportTurn } from './report-data.ts';
export {
  type FrameFacts,
  type ProgressFacts,
  type RunFrame,
  type ToldRow,
  toPastFacts,
  toRunFrame,
  type WorkingTurn,
} from './run-frame.ts';
export { createRunHistory, type RunHistory, type ToldEvent, type TurnSpan } from './run-history.ts';
export { type TimelineSlot, toTimeline } from './timeline.ts';
export {
  MAX_PAGE,
  type Page,
  type PageOrder,
  type TurnDetail,
  type TurnRow,
  toEventPage,
  toTurnDetail,
  toTurnPage,
  toTurnRow,
} from './turn-rows.ts';
export type {
  ByteRange,
  SearchHit,
  Steering,
  SteeringReceipt,
  TextPiece,
  ToolCallRow,
  TurnIndex,
  TurnPart,
  WatchedRun,
} from './watched-run.ts';
export type { FrameNews, OrderBodies, Refusal, RunList, RunListRow } from './wire.ts';
