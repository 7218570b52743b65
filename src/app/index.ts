/** Front door of `app`: the composition root. What commands and other programs start, read and stop runs with. */
export { listAvailable } from '../backends/index.ts';
export { findPackageFolder, parseYamlText, readEnvironment } from '../config/index.ts';
export { examineScopes, type HatScope, type ScopeLayer, type ScopeReport } from './describe-scopes.ts';
export type { DoctorCheck } from './doctor-check.ts';
export { emitFromOutside } from './emit-event.ts';
export { type DoctorReport, examine } from './examine.ts';
export { withFoundChecks, withFoundGate } from './find-check.ts';
export { type GateEvidenceRow, type GateReport, type GateRow, listGates } from './gate-report.ts';
export { findInitPlace } from './init-place.ts';
export { checkInit, findDefaultGate, hasTask, type Initialised, type InitOrder, initProject, listNativeModels } from './init-project.ts';
export { type LandReport, type LandRequest, landRun } from './land-run.ts';
export { type CleanedRuns, type CleanOrder, cleanRuns, summariseAllRuns, summariseRuns } from './list-runs.ts';
export { giveToken } from './people.ts';
export { planRun, type RunPlan, type RunRequest } from './plan-run.ts';
export { offerRun, type PullRequestOrder, type PullRequestReport } from './pr-run.ts';
export { type ProbeReport, type ProbesReport, probeAgents } from './probe.ts';
export { listProcesses, reapProcesses } from './processes.ts';
export { addToQueue, clearQueue, type ListedQueue, type ListedTask, listQueue, type QueuedTasks, removeFromQueue } from './queue-edit.ts';
export type { NightRecord, QueuedTask, TaskDraft, TaskOptions } from './queue-file.ts';
export { parseTaskList } from './queue-list.ts';
export type { NightEnd, NightNews, NightOrder } from './queue-order.ts';
export { isCutOff } from './queue-plan.ts';
export { openRun } from './read-run.ts';
export { type Resumed, type ResumeOptions, resumeRun } from './resume-run.ts';
export { reviewRun } from './review-run.ts';
export type { LeftProcess, OutsideEvent, RecordCursor, RunEnd, RunHandle, RunReader, RunSummary, RunWatch } from './run-api.ts';
export { type GateRun, type GateRunOrder, runCheck, runGates } from './run-gates.ts';
export { runQueue } from './run-queue.ts';
export { type Demo, prepareDemo } from './start-demo.ts';
export { type Detached, startDetached } from './start-detached.ts';
export { type StartOptions, startRun } from './start-run.ts';
export { type StopOrder, stopRun } from './stop-run.ts';
export { surveyTools, type ToolSurvey } from './survey-tools.ts';
export { type UndoReport, type UndoRequest, undoRun } from './undo-run.ts';
export {
  diffRunWorktree,
  findRunWorktree,
  listLeftOutPrograms,
  listRunWorktrees,
  mergeRunWorktree,
  type RunWorktree,
  removeRunWorktree,
} from './worktrees.ts';
