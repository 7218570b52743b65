/** Front door of `journal`: everything that a run keeps on disk, behind a file system that tests can make fail. */
export { type AgentEvent, appendAgentLine, appendAgentRefusal } from './agent-line.ts';
export type { FileFacts, FileKind, FileSystem, FolderItem, OpenMode } from './file-system.ts';
export { findRun, findRunId, hasNeverBegun, requireBegun } from './find-run.ts';
export { createJournalReader, followJournal } from './follow-journal.ts';
export { createJsonlInbox, type InboxSettings } from './jsonl-inbox.ts';
export { type OpenedJournal, openJsonlJournal } from './jsonl-journal.ts';
export { acquireLock, type Lock, type LockHolder, type LockOutcome, type LockReadSettings, type LockSettings, readLock } from './lock.ts';
export type { LockOwner } from './lock-file.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { type JournalExtent, type JournalFile, readJournal } from './read-journal.ts';
export { listKnownRuns } from './rescued-runs.ts';
export {
  createRunFolder,
  type LeftBehind,
  listRuns,
  type RunPaths,
  removeLeftovers,
  removeRun,
  type StateFolder,
  toRescuePaths,
  toRunPaths,
} from './run-folder.ts';
export { createRunId, isRunId } from './run-id.ts';
export { readSettings, writeSettings } from './run-settings.ts';
export { createSharedFileSystem } from './shared-file-system.ts';
export { ensureStateFolders, requireKind } from './state-folders.ts';
export { createTurnStore, type TurnStoreSettings } from './turn-store.ts';
export { makeFolders } from './whole-file.ts';
