import { existsSync, readFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../core/index.ts';
import { listRuns, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import type { Layout } from './layout.ts';
import { findHolder, findWorkspaceHolder, toWorkspaceLock } from './run-lock.ts';

/** The run whose process died over a workspace's lock; `null` when it was left in order, or somebody alive has it. */
export function findStaleOwner(layout: Layout, worktree: string | null): string | null {
  if (findWorkspaceHolder(layout, worktree) !== null) return null;
  try {
    const value = parseJson(readFileSync(toWorkspaceLock(layout, worktree), 'utf8'));
    const runId = isJsonObject(value) ? value['runId'] : null;
    return typeof runId === 'string' && runId !== '' ? runId : null;
  } catch {
    return null;
  }
}

/** Whether its process was killed over the run's own lock, and nobody took the lock since. */
export function wasKilled(layout: Layout, runId: string): boolean {
  try {
    return existsSync(toRunPaths(layout.stateDir, runId).lock) && findHolder(layout, runId) === null;
  } catch {
    // What is no file there is nobody's lock.
    return false;
  }
}

/** The runs of every folder and worktree here that were killed and have begun, oldest first. Throws the system error. */
export function listKilledRuns(layout: Layout): readonly string[] {
  const { stateDir } = layout;
  return listRuns({ fs: nodeFileSystem, stateDir }).filter(
    (runId) => wasKilled(layout, runId) && existsSync(toRunPaths(stateDir, runId).settings),
  );
}
