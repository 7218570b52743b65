import { join } from 'node:path';
import {
  createPlainFolder as createGitFolder,
  createTestRepository as createGitRepository,
  createTestFolder,
  type TestFolder as GitFolder,
  removeTestFolders,
  type TestFolderOptions,
} from '../git/repository-fixtures.ts';
import { createWorkspace, type GitWorkspace, type WorkspaceSettings } from './checkpoint/create-workspace.ts';
import { captureBaseline } from './snapshot/baseline.ts';
import type { Baseline } from './snapshot/baseline-record.ts';

export { createTestFolder, removeTestFolders, type TestFolderOptions };

/** A folder for tests, with what Ralph does in it. */
export interface TestFolder extends GitFolder {
  capture(): Promise<Baseline>;
  workspace(baseline: Baseline | null, more?: Partial<WorkspaceSettings>): GitWorkspace;
}

/** A folder without git. */
export function createPlainFolder(options: TestFolderOptions = {}): TestFolder {
  return withWorkspace(createGitFolder(options));
}

/** A repository with one commit of these files. */
export function createTestRepository(files?: Readonly<Record<string, string>>, options: TestFolderOptions = {}): TestFolder {
  return withWorkspace(createGitRepository(files, options));
}

function withWorkspace(folder: GitFolder): TestFolder {
  const { settings, home } = folder;
  return {
    ...folder,
    capture: () => captureBaseline(settings),
    workspace: (baseline, more = {}) =>
      createWorkspace({ ...settings, runId: 'run-1', scratchDir: join(home, 'scratch'), baseline, checkpointBranch: null, ...more }),
  };
}
