/** Door to `core/run`: the spine of a run: inputs, effects, state, turns, end reasons, and what a run is asked to do. */
export type {
  CheckpointMake,
  DeliveryKind,
  Effect,
  EventPublish,
  EventReject,
  GatesRun,
  IterationStart,
  IterationStop,
  Notice,
  RejectionCause,
  RunEnd,
  TimerSet,
} from './effects.ts';
export { END_REASONS, type EndReason } from './end-reasons.ts';
export type { FallbackCause, Feedback, GateFailure, GateStreak, SilentTurn, TimerPurpose } from './feedback.ts';
export {
  type CheckpointFinished,
  type EnvironmentFailed,
  type EventsReceived,
  type ExternalEvents,
  type GatesFinished,
  type Input,
  type IterationEnded,
  type IterationSpawned,
  isInputType,
  type RunResumed,
  type RunStarted,
  type StopRequested,
  type TimerFired,
  type UsageReported,
} from './inputs.ts';
export type { LiveRecord, RunRecord } from './run-record.ts';
export type { HatSpec, LoopDetection, PublishSpec, RunLimits, RunSpec } from './run-spec.ts';
export type { FileStat, RunStat } from './run-stat.ts';
export type {
  Activation,
  Counters,
  EventDraft,
  Footprint,
  GateWait,
  PendingEvent,
  PlannedTurn,
  RedGate,
  RunState,
  RunStatus,
  Stopping,
} from './state.ts';
export {
  type FailureClass,
  type FailureSigns,
  isHopeless,
  NO_WORK,
  type TurnFailure,
  type TurnId,
  type TurnOutcome,
  type TurnReport,
  toSwitchText,
  toTurnName,
} from './turn.ts';
export type { CommitLine, WorkState } from './work-state.ts';
