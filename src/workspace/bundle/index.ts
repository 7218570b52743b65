/** Front door of `workspace/bundle`: a working tree on its way to another machine, and what was made of it on its way back. */
export {
  bringCommits,
  bringWork,
  checkOutWork,
  fetchBundle,
  isObjectId,
  type MadeCommits,
  packCommits,
  packWork,
  type SentWork,
} from './bundle.ts';
export { createDraftNotes, sweepDrafts } from './drafts.ts';
export {
  FILE_MODES,
  type FileChanges,
  type FileMode,
  type FileState,
  isWorkPath,
  readFileState,
  readStateSize,
  replaceFiles,
  storeChanges,
  storeSteps,
  writeChanges,
} from './file-changes.ts';
