/**
 * Front door of `runs`: what is known of the runs of a folder, and what may be done to a run from outside of its process. Nothing here starts one.
 *
 * - `run-api` are the types that everybody shares; `layout` says where things are, `find-layout` finds it, `run-file` is what a run keeps.
 * - `run-lock <- living-runs` tell who is alive; `people` who may steer; `processes` what is still there.
 * - `read-records, run-fate <- run-workspace, run-facts <- read-run <- review-run, list-runs` read a run.
 * - `settle-killed-run <- clean-runs`, `stop-run`, `emit-event` act on one.
 */

export { type Admission, admitPeople } from './admit-people.ts';
export { type CleanedRuns, type CleanOrder, discardUnbegun, type FleetRun, removeRuns } from './clean-runs.ts';
export { emitFromOutside, emitTo, readFold, toOutsideFile } from './emit-event.ts';
export { findLayout } from './find-layout.ts';
export { findAgentPolicy, mayHatChangeTree, toAgentCapabilities } from './hat-capabilities.ts';
export { type Layout, openAgentFolders, requireLayout, toLayout, toStateName } from './layout.ts';
export { listProjects, noteProject, summariseAllRuns, summariseRun, summariseRuns } from './list-runs.ts';
export { openLiveFile } from './live-file.ts';
export { findLivingRun, findStaleOwner, listKilledRuns, refuseNested, wasKilled } from './living-runs.ts';
export { toGateMarker, toMarker } from './markers.ts';
export { noteMove, openHomecoming, readMove } from './moved-run.ts';
export { notifyPerson } from './notify-person.ts';
export {
  type FleetPerson,
  isOpenToFleet,
  ownRun,
  requireGoodToken,
  requireOutside,
  toFleetPerson,
  toPeopleFile,
  withoutToken,
  writePeople,
} from './people.ts';
export { listLeft, listProcesses, reapProcesses, reapRun, reapTurn } from './processes.ts';
export { searchFile } from './read-piece.ts';
export { readRecords } from './read-records.ts';
export { openRunReader } from './read-run.ts';
export { reviewRun, storeEnd } from './review-run.ts';
export type {
  AnswerWords,
  FinishedRun,
  Heard,
  KeptWord,
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
  TellWords,
} from './run-api.ts';
export { createRunClock } from './run-clock.ts';
export { readEndCommit } from './run-facts.ts';
export {
  type LandRecord,
  readLandRecord,
  readUndoRecord,
  requireFate,
  toRevertCommand,
  writeLandRecord,
  writeUndoRecord,
} from './run-fate.ts';
export {
  isCopy,
  listChangedSecrets,
  markCopy,
  type RunFile,
  readRunFile,
  requireOwnWork,
  toCopyRefusal,
  writeRunFile,
} from './run-file.ts';
export {
  findHolder,
  findWorkspaceHolder,
  isUnseen,
  lockForLanding,
  lockForMerge,
  lockForUndo,
  lockRun,
  lockWorkspace,
  readHolder,
  releaseLock,
  toStopCommand,
  toWorkspaceLock,
  tryLock,
} from './run-lock.ts';
export {
  clearPlacesApart,
  closeWorktree,
  isWorktreeOf,
  openRunWorkspace,
  type RunWorkspaceOrder,
  toWorktreeName,
} from './run-workspace.ts';
export { settleKilledRun, sweepLandings } from './settle-killed-run.ts';
export { readShownPiece } from './shown-piece.ts';
export { type Detached, startDetached } from './start-detached.ts';
export {
  answerRun,
  checkWords,
  giveToken,
  isSameChoice,
  listQuestions,
  requireTold,
  steerFromFleet,
  steerOwn,
  tellRun,
  toComplete,
  toLate,
  toUnheard,
} from './steer-run.ts';
export { alignSteering, openSteering } from './steering.ts';
export { clearStopWish, createStopTaker, type Face, leaveFleetWish, leaveStopWish, type StopOrder, stopRun } from './stop-run.ts';
export { openTurnIndex, readTurnIndex } from './turn-index.ts';
export { type LabelSettings, toTurnLabels } from './turn-labels.ts';
export {
  captureTrustedPrograms,
  hasUnconfirmed,
  noteProgramsOfDead,
  openProgramNotes,
  toUnconfirmedWarnings,
} from './unconfirmed-programs.ts';
export { watchFolder } from './watch-folder.ts';
export { createNewsWatch, type RunNews } from './watch-news.ts';
