import type { AnyTool } from './tool/tool.ts';
import { bashTool } from './tools/bash.ts';
import { editFileTool } from './tools/edit-file.ts';
import { createNativeEmitEventTool } from './tools/emit-event.ts';
import { gitCommitTool } from './tools/git-commit.ts';
import { gitDiffTool } from './tools/git-diff.ts';
import { gitInitTool } from './tools/git-init.ts';
import { gitLogTool } from './tools/git-log.ts';
import { gitPushTool } from './tools/git-push.ts';
import { gitRemoteAddTool } from './tools/git-remote-add.ts';
import { gitStatusTool } from './tools/git-status.ts';
import { githubCreatePrTool } from './tools/github-create-pr.ts';
import { githubCreateRepoTool } from './tools/github-create-repo.ts';
import { globTool } from './tools/glob.ts';
import { grepTool } from './tools/grep.ts';
import { listFilesTool } from './tools/list-files.ts';
import { listRuntimesTool } from './tools/list-runtimes.ts';
import { readFileTool } from './tools/read-file.ts';
import { runBuildTool } from './tools/run-build.ts';
import { runLintTool } from './tools/run-lint.ts';
import { runTestsTool } from './tools/run-tests.ts';
import { taskCompleteTool } from './tools/task-complete.ts';
import { updateTodosTool } from './tools/update-todos.ts';
import { webFetchTool } from './tools/web-fetch.ts';
import { webSearchTool } from './tools/web-search.ts';
import { writeFileTool } from './tools/write-file.ts';
import { writeScratchpadTool } from './tools/write-scratchpad.ts';

/**
 * The built-in tools in the order in which they are offered: by group, then by name.
 * Written by `npm run tools` from the files in `src/agent/tools`: do not edit.
 *
 * @param publishes topics and patterns that the hat may publish
 */
export function createBuiltInTools(publishes: readonly string[]): readonly AnyTool[] {
  return [
    globTool,
    grepTool,
    listFilesTool,
    readFileTool,
    editFileTool,
    writeFileTool,
    gitDiffTool,
    gitLogTool,
    gitStatusTool,
    gitCommitTool,
    gitInitTool,
    gitPushTool,
    gitRemoteAddTool,
    githubCreatePrTool,
    githubCreateRepoTool,
    webFetchTool,
    webSearchTool,
    bashTool,
    listRuntimesTool,
    runBuildTool,
    runLintTool,
    runTestsTool,
    taskCompleteTool,
    createNativeEmitEventTool(publishes),
    updateTodosTool,
    writeScratchpadTool,
  ];
}
