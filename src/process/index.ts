/**
 * Front door of `process`: starts children, ends whatever comes from them, reads what they print, and takes secrets out of it.
 *
 * One path starts a child: `start-process` calls `launch-child` (the start itself, with pipes and namespaces), `child-outputs` (reads), `process-tree`
 * (ends) and `running-child` (watches over all of it until nothing runs any more). Files import in one direction:
 * `contract`, `process-table`, `isolation`, `named-pipes` and readers of bytes <- the four parts <- `start-process`.
 */
export { createBoundedBuffer } from './bounded-buffer.ts';
export type { ChildProcessHandle, ProcessFault, ProcessInput, ProcessResult, ProcessSpec, StopReason } from './contract.ts';
export { endProcesses, findByMarker, type MarkedProcess } from './end-processes.ts';
export { findProgram, isProgram, keepsNamespace, selectExistingFolders } from './isolation.ts';
export { holdPipe, isPipeHeld } from './named-pipes.ts';
export { openProjectFolder } from './open-project-folder.ts';
export { makeOwnedFolder, removeDeadPipes, sweepOwnedFolders } from './owned-folders.ts';
export { findReal, isFolder, isThere, listNames, readLink } from './paths.ts';
export { isAlive, type ProcessRef, processStartTime, readPidNamespace } from './process-table.ts';
export type { EndReport } from './process-tree.ts';
export { createRedaction, createRedactor, stripColours } from './redact.ts';
export { listMounts, removeTree } from './remove-tree.ts';
export { killAllStarted, passSignalsOn } from './running-child.ts';
export { splitSearchPath } from './split-search-path.ts';
export {
  type CommandResult,
  type CommandSpec,
  findIsolation,
  runShellLine,
  runToEnd,
  type ShellLineOptions,
  startProcess,
  toShellCommand,
} from './start-process.ts';
export { steadyMs } from './steady-clock.ts';
