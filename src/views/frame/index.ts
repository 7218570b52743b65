/** Door to `views/frame`: what the faces of a run show at one moment (`toRunFrame`), its turns and events page by page, its timeline. Plain JSON: its types are in `wire`. */
export type { EvidenceRow } from '../../wire/evidence-row.ts';
export type { FrameNews } from '../../wire/frame-news.ts';
export type { HatRow } from '../../wire/hat-row.ts';
export type { OrderBodies, Refusal } from '../../wire/orders.ts';
export type { Page, PageOrder } from '../../wire/page.ts';
export type { ReportData, ReportTurn } from '../../wire/report-data.ts';
export type { ProgressFacts, QuestionRow, RunFrame, ToldRow, WorkingTurn } from '../../wire/run-frame.ts';
export type { RunList, RunListRow } from '../../wire/run-list.ts';
export type { Steering, SteeringReceipt } from '../../wire/steering.ts';
export type { TimelineSlot } from '../../wire/timeline-slot.ts';
export type { ToldEvent } from '../../wire/told-event.ts';
export type { TurnDetail, TurnRow } from '../../wire/turn-row.ts';
export type { ByteRange, SearchHit, TextPiece, ToolCallRow, TurnIndex, TurnPart } from '../../wire/turn-texts.ts';
export { type FrameFacts, toPastFacts, toRunFrame } from './run-frame.ts';
export { createRunHistory, type RunHistory, type TurnSpan } from './run-history.ts';
export { toTimeline } from './timeline.ts';
export { toEventPage, toTurnDetail, toTurnPage, toTurnRow } from './turn-rows.ts';
export type { WatchedRun } from './watched-run.ts';
