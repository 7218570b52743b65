/**
 * Front door of `journal`: everything that a run keeps on disk, behind a file system that tests can make fail.
 *
 * Files import in one direction: `file-system`, `scan-lines`, `journal-line` <- `read-journal`, `agent-line`, `lock`, `run-folder`, `turn-store` <-
 * `jsonl-journal` (writes), `follow-journal` (reads on), `jsonl-inbox` (the agents' events), `find-run`.
 */
export { type AgentEvent, appendAgentLine, appendAgentRefusal, appendLine } from './agent-line.ts';
export {
  type FileFacts,
  type FileKind,
  type FileSystem,
  type FolderItem,
  makeFolders,
  type OpenMode,
  withHandle,
  writeAll,
  writeFileAtomically,
} from './file-system.ts';
export { findRun, findRunId, hasNeverBegun, listKnownRuns, requireBegun } from './find-run.ts';
export { createJournalReader, followJournal } from './follow-journal.ts';
export { toJournalLines } from './journal-line.ts';
export { createJsonlInbox, type InboxSettings } from './jsonl-inbox.ts';
export { type OpenedJournal, openJsonlJournal } from './jsonl-journal.ts';
export {
  acquireLock,
  type Lock,
  type LockHolder,
  type LockOutcome,
  type LockOwner,
  type LockReadSettings,
  type LockSettings,
  readLock,
} from './lock.ts';
export { type NewLine, type NewLines, readNewLines } from './new-lines.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { type JournalExtent, type JournalFile, readJournal } from './read-journal.ts';
export {
  createRunFolder,
  createRunId,
  isRunId,
  type LeftBehind,
  listRunIds,
  type RunPaths,
  removeLeftovers,
  removeRun,
  type StateFolder,
  toRescuePaths,
  toRunPaths,
} from './run-folder.ts';
export { readSettings, writeSettings } from './run-settings.ts';
export { createSharedFileSystem } from './shared-file-system.ts';
export { ensureStateFolders, requireKind } from './state-folders.ts';
export { createTurnStore, type TurnStoreSettings } from './turn-store.ts';
