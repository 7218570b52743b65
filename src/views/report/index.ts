/** Door to `views/report`: what is made of views: status, report of the end, details of a turn, NDJSON. */
export type { Attention } from '../../wire/attention.ts';
export { isNearLimit, toAttention, toStateText } from './attention.ts';
export { toStatLines, toStatNotes } from './change-text.ts';
export {
  type RunElsewhere,
  toElsewhereAttention,
  toElsewhereReport,
  toElsewhereText,
  toUnheardText,
  toWhereText,
} from './elsewhere-report.ts';
export { toGateEndText, toRefusalText } from './evidence.ts';
export {
  type NdjsonLive,
  type NdjsonRecord,
  toNdjsonEnd,
  toNdjsonLeftOut,
  toNdjsonLive,
  toNdjsonRecord,
  toNdjsonRun,
} from './ndjson-record.ts';
export { toNextStep } from './next-step.ts';
export { toAgentCells, toAgentName, toPanelOutcomeText, toPanelStateText, toPanelSteps, toVoteLines } from './panel-text.ts';
export { toDeadlineText, toLapseText, toReceiptText } from './people-rows.ts';
export { isTurnDone, toRunReport } from './run-report.ts';
export { type StatusRecord, toElsewhereRecord, toEndedView, toRunStatus, toStatusRecord } from './run-status.ts';
export { toHatAndBackend } from './running-report.ts';
export { toTurnDetails } from './turn-details.ts';
export { findConflict, toAboutText, toConflictCause, toOutcomeText, toTurnLine, toWorkerText } from './turn-line.ts';
export {
  type ChangeFacts,
  type PackageFacts,
  parseFacts,
  type RunFate,
  toChangeFacts,
  type UnknownFate,
  type WorkFacts,
  type WorkPlace,
} from './work-facts.ts';
