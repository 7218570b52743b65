/**
 * Front door of `git`: how git is started, what a repository is, and what Ralph reads and writes in one: `contract` <- `harden-git`, `awaited-pipe` <- `git` <- `status`, `trees`,
 * `refs`, `objects`, `repository`.
 */
export {
  ABSENT,
  type Git,
  type GitOptions,
  type GitPrograms,
  type GitResult,
  type GitStatus,
  type IndexChange,
  type OwnIndex,
  type ProgramFindings,
  type Repository,
  type RepositorySearch,
  type RepositorySettings,
  type StatusEntry,
} from './contract.ts';
export { decodeNames, encodeNames, isOddName, toLook } from './file-names.ts';
export { createGit, demandGit, GitProblem, toGitFix } from './git.ts';
export { findOngoingOperation, isGitAtWork } from './git-activity.ts';
export {
  findRepositoryFolders,
  type GitPlaces,
  isOutsideGit,
  isOwnWorktree,
  type RepositoryFolders,
  readCommonDir,
  readGitPlaces,
  readGitText,
} from './git-places.ts';
export { type OwnConfig, readOwnConfig } from './git-programs.ts';
export { demandTrueObjects, packObjects } from './objects.ts';
export {
  countCommits,
  demandPlainBranch,
  findCheckout,
  isAncestor,
  readCommit,
  readCurrentBranch,
  returnToBranch,
  toRef,
  WITHOUT_NEW_LOGS,
} from './refs.ts';
export {
  captureBase,
  captureGitPrograms,
  findRepository,
  listIgnored,
  listTracked,
  locateRepository,
  openRepository,
  type RunBase,
  readHead,
} from './repository.ts';
export { parseStatus, readStatus, toStatusArguments } from './status.ts';
export {
  changeIndex,
  commitTree,
  FALLBACK_IDENTITY,
  isSubmodule,
  listDifferences,
  listIndex,
  listTrees,
  readTree,
  type TreeDifference,
  toIndexChange,
  toPathList,
  whileUnlocked,
  writeTree,
} from './trees.ts';
export { toWorktreePlace, type WorktreePlace } from './worktree-place.ts';
