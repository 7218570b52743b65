/** Front door of `core`: types and total functions, no IO, no clock, no dependency. */
export type { BackendEvent } from './backend-event.ts';
export { BACKEND_TYPES, type BackendSpec, type BackendType, DETECTED_BACKENDS, toBackendLabel } from './backend-spec.ts';
export { isCostUnknown } from './cost-reports.ts';
export { countEdits } from './count-edits.ts';
export { toDurationText, toUsdText } from './duration.ts';
export type {
  CheckpointMake,
  DeliveryKind,
  Effect,
  EventPublish,
  EventReject,
  GatesRun,
  InboxAppend,
  IterationStart,
  IterationStop,
  Notice,
  RejectionCause,
  RunEnd,
  TimerSet,
} from './effects.ts';
export { END_REASONS, type EndReason, type EndReasonFacts } from './end-reasons.ts';
export { isRalphError, RalphError, type RalphErrorFacts, toErrorCode } from './errors.ts';
export type {
  EventSignal,
  PromiseSignal,
  RalphEvent,
  Signal,
  SignalChannel,
  SignalProblem,
  TransitionSignal,
  TurnSignals,
} from './event.ts';
export type { FallbackCause, Feedback, TimerPurpose } from './feedback.ts';
export type {
  Finding,
  FlowFinding,
  HatList,
  ItemSubject,
  ListSubject,
  RelatedSubject,
  Repair,
  RepairChange,
  Severity,
  Subject,
} from './finding.ts';
export type { GateResult } from './gate-result.ts';
export { toTextHash } from './hash.ts';
export { type InboxLine, parseInboxLine } from './inbox-line.ts';
export type {
  CheckpointFinished,
  EnvironmentFailed,
  EventsReceived,
  GatesFinished,
  Input,
  IterationEnded,
  IterationSpawned,
  RunResumed,
  RunStarted,
  StopRequested,
  TimerFired,
} from './inputs.ts';
export { isJsonObject, type Json, type JsonObject, parseJson, toCanonicalJson, toComparablePayload, toPayloadText } from './json.ts';
export { maskControls } from './mask-controls.ts';
export { createNearMissFinder, findNearMiss, isOnlyNearMiss, type NearMissFinder } from './near-miss.ts';
export {
  DEFAULT_HAT,
  DEFAULT_PROMISE,
  EXTERNAL,
  RALPH,
  SYSTEM,
  SYSTEM_TOPICS,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  TOPIC_LEGACY_TRANSITION,
  TOPIC_READY,
  TOPIC_RESUME,
  TOPIC_START,
  TOPIC_TASK_DONE,
  toBlockedTopic,
} from './reserved.ts';
export type { LiveRecord, RunRecord } from './run-record.ts';
export type { GateSpec, HatSpec, LoopDetection, PublishSpec, RalphSpec, RetrySpec, RunLimits, RunSpec } from './run-spec.ts';
export type { ScannedSignals } from './signal-collector.ts';
export { isPromiseLine } from './signal-lines.ts';
export type {
  Activation,
  Counters,
  EventDraft,
  Footprint,
  GateWait,
  PendingEvent,
  PlannedTurn,
  RunState,
  RunStatus,
  Stopping,
  TimerWait,
} from './state.ts';
export { createTextSignalScanner, type TextSignalScanner } from './text-signals.ts';
export { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard, type ToolGroup, type ToolHints } from './tool-card.ts';
export { BUILT_IN_PROFILES } from './tool-profiles.ts';
export {
  comparePrecedence,
  hasWildcard,
  intersectsPatterns,
  isTopic,
  isTopicPattern,
  MAX_TOPIC_LENGTH,
  matchesTopic,
  type PatternPrecedence,
  toPrecedence,
} from './topics.ts';
export { type FailureClass, type TurnFailure, type TurnId, type TurnOutcome, type TurnReport, toTurnName } from './turn.ts';
export { addUsage, UNKNOWN_USAGE, type Usage } from './usage.ts';
