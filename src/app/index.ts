/** Front door of `app`: the composition root. What commands and other programs start, read and stop runs with. */
export { listAvailable } from '../backends/index.ts';
export { findPackageFolder, parseYamlText, readEnvironment } from '../config/index.ts';
export {
  type DoctorCheck,
  type DoctorReport,
  examine,
  examineScopes,
  type ProbeReport,
  type ProbesReport,
  probeAgents,
} from '../doctor/index.ts';
export { checkServer, connectFleet } from '../fleet/index.ts';
export { createLifeHooks, createLoopHookAsker, createToolHooks, type HookedCall, type ToolHooks } from '../hooks/index.ts';
export {
  diffRunWorktree,
  findRunWorktree,
  type LandReport,
  type LandRequest,
  listLeftOutPrograms,
  listRunWorktrees,
  mergeRunWorktree,
  offerRun,
  type PullRequestOrder,
  type PullRequestReport,
  type RunWorktree,
  removeRunWorktree,
  type UndoReport,
  type UndoRequest,
  undoRun,
} from '../landing/index.ts';
export { planRun, type RunPlan } from '../planning/index.ts';
export { listNativeTools, type NativeTools } from '../plugins/index.ts';
export {
  checkInit,
  findDefaultGate,
  findInitPlace,
  hasTask,
  type Initialised,
  type InitOrder,
  initProject,
  listNativeModels,
  withFoundChecks,
  withFoundGate,
} from '../project/index.ts';
export {
  addToQueue,
  clearQueue,
  isCutOff,
  type ListedQueue,
  type ListedTask,
  listQueue,
  type NightEnd,
  type NightNews,
  type NightOrder,
  type NightRecord,
  parseTaskList,
  type QueuedTask,
  type QueuedTasks,
  removeFromQueue,
  type TaskDraft,
  type TaskOptions,
} from '../queue/index.ts';
export {
  type GateEvidenceRow,
  type GateReport,
  type GateRow,
  type GateRun,
  type GateRunOrder,
  listGates,
  runCheck,
  runGates,
} from '../run-gates/index.ts';
export {
  answerRun,
  type Detached,
  emitFromOutside,
  giveToken,
  type LeftProcess,
  listProcesses,
  listQuestions,
  notifyPerson,
  type OutsideEvent,
  openRun,
  type RecordCursor,
  type Resumed,
  type ResumeOptions,
  type RunEnd,
  type RunHandle,
  type RunReader,
  type RunRequest,
  type RunSummary,
  type RunWatch,
  reapProcesses,
  reviewRun,
  type StartOptions,
  type StopOrder,
  startDetached,
  stopRun,
  summariseAllRuns,
  summariseRuns,
  tellRun,
} from '../runs/index.ts';
export type { HatScope, ScopeLayer, ScopeReport } from '../turns/scopes/index.ts';
export { bringRun } from './bring-run.ts';
export { copyFleet, copyRun } from './copy-run.ts';
export { DEMO_LOST_AFTER_S, type FleetDemo, type FleetDemoEnd, prepareFleetDemo } from './fleet-demo.ts';
export type { FleetNews } from './fleet-demo-story.ts';
export { type FleetServer, startFleetServer } from './fleet-server.ts';
export { cleanRuns } from './forget-run.ts';
export { landRun } from './land-run.ts';
export { readReport } from './report-data.ts';
export { resumeRun } from './resume-run.ts';
export { createRunCatalog } from './run-catalog.ts';
export { type Demo, prepareDemo, runQueue } from './start-planned.ts';
export { startRun } from './start-run.ts';
export { answerFleetRun, type FleetRunOrder, stopFleetRun, tellFleetRun } from './steer-fleet.ts';
export { openWatchedRun } from './watched-run.ts';
export { type WorkerOrder, workForFleet } from './work-for-fleet.ts';
