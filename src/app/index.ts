/** Front door of `app`: the composition root. What commands and other programs start, read and stop runs with. */
export { listAvailable } from '../backends/clis.ts';
export { cleanRuns } from '../catalog/forget-run.ts';
export { readReport } from '../catalog/report-data.ts';
export { createRunCatalog } from '../catalog/run-catalog.ts';
export { ASK_EVERY_MS, openWatchedRun, watchPlace } from '../catalog/watched-run.ts';
export { readEnvironment } from '../config/environment.ts';
export { findPackageFolder } from '../config/layers/package-files.ts';
export { parseYamlText } from '../config/yaml/parse-yaml.ts';
export type { DoctorCheck } from '../doctor/check-native.ts';
export { type DoctorReport, examine, examineScopes } from '../doctor/examine.ts';
export { type ProbeReport, type ProbesReport, probeAgents } from '../doctor/probe.ts';
export { checkServer } from '../fleet/check-server.ts';
export { connectFleet } from '../fleet/connect-fleet.ts';
export { bringRun } from '../fleet-runs/bring-run.ts';
export { copyFleet, copyRun } from '../fleet-runs/copy-run.ts';
export { type AwayRun, findAllElsewhere, findAway, findElsewhere } from '../fleet-runs/find-elsewhere.ts';
export { DEMO_LOST_AFTER_S, type FleetDemo, type FleetDemoEnd, prepareFleetDemo } from '../fleet-runs/fleet-demo.ts';
export type { FleetNews } from '../fleet-runs/fleet-demo-story.ts';
export { type FleetServer, startFleetServer } from '../fleet-runs/fleet-server.ts';
export { type OfferPreview, type PreviewedOffer, previewOffers } from '../fleet-runs/preview-offers.ts';
export { answerFleetRun, type FleetRunOrder, stopFleetRun, tellFleetRun } from '../fleet-runs/steer-fleet.ts';
export { createToolHooks } from '../hooks/ask-hooks.ts';
export { createLifeHooks } from '../hooks/ask-life-hooks.ts';
export { createLoopHookAsker } from '../hooks/ask-loop-hooks.ts';
export type { HookedCall, ToolHooks } from '../hooks/tool-hooks.ts';
export type { LandReport, LandRequest } from '../landing/land-run.ts';
export { offerRun, type PullRequestOrder, type PullRequestReport } from '../landing/pr-run.ts';
export { type UndoReport, type UndoRequest, undoRun } from '../landing/undo-run.ts';
export {
  diffRunWorktree,
  findRunWorktree,
  listLeftOutPrograms,
  listRunWorktrees,
  mergeRunWorktree,
  type RunWorktree,
  removeRunWorktree,
} from '../landing/worktrees.ts';
export { planStart, type RunPlan } from '../planning/plan-run.ts';
export { listNativeTools, type NativeTools } from '../plugins/list-tools.ts';
export { withFoundChecks, withFoundGate } from '../project/find-checks.ts';
export { listNativeModels } from '../project/init-backend.ts';
export { findInitPlace } from '../project/init-config.ts';
export { checkInit, findDefaultGate, hasTask, type Initialised, type InitOrder, initProject } from '../project/init-project.ts';
export { parseTaskList } from '../queue/parse-task-list.ts';
export {
  addToQueue,
  clearQueue,
  type ListedQueue,
  type ListedTask,
  listQueue,
  type QueuedTasks,
  removeFromQueue,
} from '../queue/queue-edit.ts';
export type { NightRecord, QueuedTask, TaskDraft, TaskOptions } from '../queue/queue-file.ts';
export { isCutOff, type NightEnd, type NightNews, type NightOrder } from '../queue/queue-plan.ts';
export { type GateEvidenceRow, type GateReport, type GateRow, listGates } from '../run-gates/gate-report.ts';
export { type GateRun, type GateRunOrder, runCheck, runGates } from '../run-gates/run-gates.ts';
export { emitFromOutside } from '../runs/emit-event.ts';
export { summariseAllRuns, summariseRuns } from '../runs/list-runs.ts';
export { notifyPerson } from '../runs/notify-person.ts';
export { listProcesses, reapProcesses } from '../runs/processes.ts';
export { openRunReader } from '../runs/read-run.ts';
export { reviewRun } from '../runs/review-run.ts';
export type {
  FinishedRun,
  LeftProcess,
  OutsideEvent,
  Resumed,
  ResumeOptions,
  RunHandle,
  RunReader,
  RunRequest,
  RunSummary,
  RunWatch,
  StartOptions,
} from '../runs/run-api.ts';
export { type Detached, startDetached } from '../runs/start-detached.ts';
export { answerRun, giveToken, listQuestions, tellRun } from '../runs/steer-run.ts';
export { type StopOrder, stopRun } from '../runs/stop-run.ts';
export type { HatScope, ScopeLayer, ScopeReport } from '../turns/scopes/describe-scopes.ts';
export { assembleRun, toWorkerMarker } from './assemble-run.ts';
export { landRun } from './land-run.ts';
export { resumeRunHere } from './resume-run.ts';
export type { AssembledRun, RunParts } from './run-parts.ts';
export { type Demo, prepareDemo, runQueue } from './start-planned.ts';
export { startRunHere } from './start-run.ts';
