/**
 * Front door of `core`: types and total functions, no IO, no clock, no dependency. Folders import each other in one direction:
 * `values` <- `text` <- `schema` <- `events` <- `signals`; `values` <- `tools` <- `backends`; all of these and `gates` <- `run`; `project` stands alone.
 */
export type { BackendEvent } from './backends/backend-event.ts';
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
} from './backends/backend-spec.ts';
export { isCostUnknown } from './backends/cost-reports.ts';
export { type EffortWay, findEffortWay } from './backends/effort-way.ts';
export { findListedContext, findListPrice } from './backends/list-prices.ts';
export { addUsage, UNKNOWN_USAGE, type Usage } from './backends/usage.ts';
export {
  type EventSignal,
  type MissedSignal,
  type PromiseSignal,
  parseSender,
  type RalphEvent,
  type RefusedEmit,
  type Sender,
  type Signal,
  type SignalProblem,
  type TransitionSignal,
  toSenderText,
} from './events/event.ts';
export { contractOf, type EventContract, type EventContracts, type PayloadCheck } from './events/event-contract.ts';
export { countCut, parseInboxLine, toCutProblem } from './events/inbox-line.ts';
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
} from './events/reserved.ts';
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
} from './events/topics.ts';
export { CHANGED_TESTS_MARK, findChangedTestsReason } from './gates/changed-tests.ts';
export { classifyPath, isTestPath, PATH_CLASSES, type PathClass } from './gates/classify-paths.ts';
export { countFailedTests, countRunTests } from './gates/count-run-tests.ts';
export { type GateEvidence, type GateResult, type StartTestsResult, toResultName } from './gates/gate-result.ts';
export {
  GATE_BASELINES,
  GATE_CHECKS,
  type GateBaseline,
  type GateCheck,
  type GateSpec,
  isRequiredGate,
  mayStayRed,
  toGateName,
} from './gates/gate-spec.ts';
export { toOneLine } from './one-line.ts';
export { detectQualityCommand } from './project/detect-quality-command.ts';
export { type ProjectFolder, type QualityCommand, type QualityKind, readPackageScripts } from './project/package-scripts.ts';
export { USUAL_SCRATCH } from './project/scratch-folders.ts';
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
} from './run/effects.ts';
export { END_REASONS, type EndReason } from './run/end-reasons.ts';
export type { FallbackCause, Feedback, GateFailure, GateStreak, SilentTurn, TimerPurpose } from './run/feedback.ts';
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
} from './run/inputs.ts';
export type { LiveRecord, RunRecord } from './run/run-record.ts';
export type { HatSpec, LoopDetection, PublishSpec, RunLimits, RunSpec } from './run/run-spec.ts';
export type { FileStat, RunStat } from './run/run-stat.ts';
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
} from './run/state.ts';
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
} from './run/turn.ts';
export type { CommitLine, WorkState } from './run/work-state.ts';
export { describeShape } from './schema/describe-shape.ts';
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
} from './schema/finding.ts';
export { listSchemaFaults, type SchemaFault } from './schema/list-schema-faults.ts';
export { isPromiseLine } from './signals/signal-lines.ts';
export { createTextSignalScanner } from './signals/text-signals.ts';
export { createFenceTracker } from './text/code-fence.ts';
export { compareLines } from './text/compare-lines.ts';
export { toDurationText, toUsdText } from './text/duration.ts';
export { estimateTokens } from './text/estimate-tokens.ts';
export { maskControls, toSafeJson } from './text/mask-controls.ts';
export { countEdits, createNearMissFinder, findNearMiss, isOnlyNearMiss, type NearMissFinder } from './text/near-miss.ts';
export { findSecretArgs, isSecret, isSecretName, isSecretValue, type SecretValue } from './text/secrets.ts';
export { toMoveAway, toShellWord, toWayBack } from './text/shell-word.ts';
export { isFailureLine, pickTellingLines } from './text/telling-lines.ts';
export { BUILT_IN_CARDS } from './tools/built-in-cards.ts';
export type { McpServerSpec } from './tools/mcp-server-spec.ts';
export {
  checkPluginTool,
  checkToolCard,
  createToolTwiceError,
  listPluginTools,
  type PluginContext,
  type PluginPath,
  type PluginResult,
  type PluginTool,
  registerTool,
  toPluginCard,
} from './tools/plugin-tool.ts';
export { MAX_KEPT_CHANGES, MAX_KEPT_DENIALS, type ScopeChange, type ScopeViolations, type ToolDenial } from './tools/scope-violations.ts';
export { toServerToolName } from './tools/server-tool-name.ts';
export { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard, type ToolGroup, type ToolHints } from './tools/tool-card.ts';
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
} from './tools/tool-profiles.ts';
export {
  findSearchKeyName,
  NO_TOOLS_SPEC,
  SEARCH_PROVIDERS,
  type SearchProvider,
  type SearchSpec,
  type ToolsSpec,
} from './tools/tools-spec.ts';
export { isRalphError, RalphError, toErrorCode } from './values/errors.ts';
export { type Handlers, handle, ignore } from './values/handlers.ts';
export { toTextHash } from './values/hash.ts';
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
} from './values/json.ts';
export { accept, type Refusal, type Result, refuse } from './values/result.ts';
