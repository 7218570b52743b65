/** Front door of `core`: types and total functions, no IO, no clock, no dependency. */
export type { BackendEvent } from './backend-event.ts';
export {
  AGENT_CLIS,
  BACKEND_TYPES,
  type BackendSpec,
  type BackendType,
  type CliType,
  DETECTED_BACKENDS,
  isAgentCli,
  NATIVE_PROVIDERS,
  type NativeProvider,
  type NativeSpec,
  toBackendLabel,
  toListedBackend,
  toPersonHelp,
  UNVERIFIED_BACKENDS,
} from './backend-spec.ts';
export { BUILT_IN_CARDS } from './built-in-cards.ts';
export { CHANGED_TESTS_MARK, findChangedTestsReason } from './changed-tests.ts';
export { checkToolCard, createToolTwiceError } from './check-tool-card.ts';
export { classifyPath, isTestPath, PATH_CLASSES, type PathClass, type PathRules } from './classify-paths.ts';
export { createFenceTracker } from './code-fence.ts';
export { compareLines } from './compare-lines.ts';
export { isCostUnknown } from './cost-reports.ts';
export { countEdits } from './count-edits.ts';
export { countFailedTests } from './count-failed-tests.ts';
export { countRunTests } from './count-run-tests.ts';
export { describeShape } from './describe-shape.ts';
export { detectQualityCommand } from './detect-quality-command.ts';
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
export { type EffortWay, findEffortWay } from './effort-way.ts';
export { END_REASONS, type EndReason, type EndReasonFacts } from './end-reasons.ts';
export { isRalphError, RalphError, type RalphErrorFacts, toErrorCode } from './errors.ts';
export { estimateTokens } from './estimate-tokens.ts';
export type {
  EventSignal,
  MissedSignal,
  PromiseSignal,
  RalphEvent,
  RefusedEmit,
  Signal,
  SignalChannel,
  SignalProblem,
  TransitionSignal,
  TurnSignals,
} from './event.ts';
export { contractOf, type EventContract, type EventContracts, type PayloadCheck, type PayloadVerdict } from './event-contract.ts';
export type { FallbackCause, Feedback, SilentTurn, TimerPurpose } from './feedback.ts';
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
export { type GateEvidence, type GateResult, type StartTestsResult, toResultName } from './gate-result.ts';
export {
  GATE_BASELINES,
  GATE_CHECKS,
  type GateBaseline,
  type GateCheck,
  type GateSpec,
  isRequiredGate,
  mayStayRed,
  toGateName,
} from './gate-spec.ts';
export type { GateFailure, GateStreak } from './gate-streak.ts';
export { type Handlers, handle, ignore } from './handlers.ts';
export { toTextHash } from './hash.ts';
export { countCut, type InboxLine, parseInboxLine, toCutProblem } from './inbox-line.ts';
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
export {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  mapTexts,
  parseJson,
  toCanonicalJson,
  toComparablePayload,
  toPayloadText,
} from './json.ts';
export { findListedContext, findListPrice } from './list-prices.ts';
export { listSchemaFaults, type SchemaFault } from './list-schema-faults.ts';
export { maskControls, toSafeJson } from './mask-controls.ts';
export type { McpServerSpec } from './mcp-server-spec.ts';
export { createNearMissFinder, findNearMiss, isOnlyNearMiss, type NearMissFinder } from './near-miss.ts';
export { toOneLine } from './one-line.ts';
export { readPackageScripts } from './package-scripts.ts';
export {
  checkPluginTool,
  listPluginTools,
  type PluginContext,
  type PluginPath,
  type PluginResult,
  type PluginTool,
  registerTool,
  toPluginCard,
} from './plugin-tool.ts';
export type { ProjectFolder, QualityCommand, QualityKind } from './project-folder.ts';
export {
  DEFAULT_HAT,
  DEFAULT_PROMISE,
  EXTERNAL,
  QUALITY_GATE,
  RALPH,
  SYSTEM,
  SYSTEM_TOPICS,
  TOPIC_BLOCKED,
  TOPIC_COMPLETE,
  TOPIC_CONTINUE,
  TOPIC_ERROR_CLI,
  TOPIC_ERROR_TIMEOUT,
  TOPIC_LEGACY_TRANSITION,
  TOPIC_READY,
  TOPIC_RESUME,
  TOPIC_SCOPE_VIOLATION,
  TOPIC_START,
  TOPIC_TASK_DONE,
  toBlockedTopic,
} from './reserved.ts';
export { accept, type Refusal, type Result, refuse } from './result.ts';
export type { LiveRecord, RunRecord } from './run-record.ts';
export type { HatSpec, LoopDetection, PublishSpec, RalphSpec, RetrySpec, RunLimits, RunSpec } from './run-spec.ts';
export type { FileStat, RunStat } from './run-stat.ts';
export { MAX_KEPT_CHANGES, MAX_KEPT_DENIALS, type ScopeChange, type ScopeViolations, type ToolDenial } from './scope-violations.ts';
export { type ScratchFolder, USUAL_SCRATCH } from './scratch-folders.ts';
export { findSecretArgs, isSecret, isSecretName, isSecretValue, type SecretValue } from './secrets.ts';
export { parseSender, type Sender, toSenderText } from './sender.ts';
export { toServerToolName } from './server-tool-name.ts';
export { toMoveAway, toShellWord } from './shell-word.ts';
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
  RedGate,
  RunState,
  RunStatus,
  Stopping,
  TimerWait,
} from './state.ts';
export { isFailureLine, pickTellingLines } from './telling-lines.ts';
export { createTextSignalScanner, type ScannedText, type TextSignalScanner } from './text-signals.ts';
export { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard, type ToolGroup, type ToolHints } from './tool-card.ts';
export {
  BUILT_IN_POLICIES,
  BUILT_IN_PROFILES,
  type Capabilities,
  COMPOSITE_GROUPS,
  COORDINATION_GROUP,
  mayChangeTree,
  mayWork,
  type ProfilePolicy,
  resolveProfile,
  type ToolVerdict,
  toCapabilities,
} from './tool-profiles.ts';
export { findSearchKeyName, NO_TOOLS_SPEC, SEARCH_PROVIDERS, type SearchProvider, type SearchSpec, type ToolsSpec } from './tools-spec.ts';
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
export { addUsage, UNKNOWN_USAGE, type Usage } from './usage.ts';
export { toWayBack } from './way-back.ts';
export type { CommitLine, WorkState } from './work-state.ts';
