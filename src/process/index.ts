export type { EndReport } from './end-members.ts';
export { endProcesses } from './end-processes.ts';
export { findByMarker, type MarkedProcess } from './find-by-marker.ts';
export { findIsolation, type IsolationSearch } from './find-isolation.ts';
export { holdPipe, isPipeHeld } from './held-pipe.ts';
export { findProgram, isProgram, keepsNamespace, selectFolders } from './isolation.ts';
export { listMounts } from './list-mounts.ts';
export { openProjectFolder } from './open-project-folder.ts';
export { removeDeadPipes } from './output-pipe.ts';
export { makeOwnedFolder, sweepOwnedFolders } from './owned-folders.ts';
export { readPidNamespace } from './pid-namespace.ts';
export { isAlive, type ProcessRef, processStartTime } from './process-identity.ts';
export type {
  ChildProcessHandle,
  ProcessFault,
  ProcessInput,
  ProcessResult,
  ProcessSpec,
  StopReason,
} from './process-spec.ts';
export { createRedaction, createRedactor } from './redact.ts';
export { removeTree } from './remove-tree.ts';
export { type CommandResult, type CommandSpec, runCommand, runShellLine, type ShellLineOptions, toShellLine } from './run-command.ts';
export { killAllStarted } from './running-child.ts';
export { splitSearchPath } from './split-search-path.ts';
export { startProcess } from './start-process.ts';
export { steadyMs } from './steady-time.ts';
export { stripColours } from './strip-colours.ts';
