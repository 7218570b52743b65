import { existsSync, readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { listRunIds, toRunPaths } from '../journal/run-folder.ts';
import type { Layout } from './layout.ts';
import type { StartOptions } from './run-api.ts';
import { readRunFile } from './run-file.ts';
import { findHolder, findWorkspaceHolder, toWorkspaceLock } from './run-lock.ts';

/** The run under way that a person in this folder means: the one that works in it (the innermost), else the newest; `null`: none. */
export function findLivingRun(layout: Layout, cwd: string): string | null {
  const living = [...listRunIds({ fs: nodeFileSystem, stateDir: layout.stateDir })]
    .reverse()
    .filter((runId) => findHolder(layout, runId) !== null);
  const here = `${resolve(cwd)}${sep}`;
  const around = living.map((runId) => ({ runId, length: toLengthAround(layout, runId, here) })).filter(({ length }) => length > 0);
  return around.sort((a, b) => b.length - a.length)[0]?.runId ?? living[0] ?? null;
}

/** 0: the run works elsewhere, or is just beginning. */
function toLengthAround(layout: Layout, runId: string, here: string): number {
  return tryOr(() => {
    const { workspace } = readRunFile(toRunPaths(layout.stateDir, runId).settings);
    return here.startsWith(`${workspace}${sep}`) ? workspace.length : 0;
  }, 0);
}

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
  // What is no file there is nobody's lock.
  return tryOr(() => existsSync(toRunPaths(layout.stateDir, runId).lock) && findHolder(layout, runId) === null, false);
}

/** The runs of every folder and worktree here that were killed and have begun, oldest first. Throws the system error. */
export function listKilledRuns(layout: Layout): readonly string[] {
  const { stateDir } = layout;
  return listRunIds({ fs: nodeFileSystem, stateDir }).filter(
    (runId) => wasKilled(layout, runId) && existsSync(toRunPaths(stateDir, runId).settings),
  );
}

/**
 * Refuses to begin a run inside of an agent's turn, unless that is meant.
 *
 * @throws RalphError `run-nested`
 */
export function refuseNested({ env, nested }: Pick<StartOptions, 'env' | 'nested'>): void {
  if (nested || env['RALPH_RUN_ID'] === undefined || env['RALPH_RUN_ID'] === '') return;
  throw new RalphError({
    code: 'run-nested',
    what: `This is inside of a turn of run ${env['RALPH_RUN_ID']}; another run is not started here.`,
    why: 'Agents that start runs of their own are hard to stop and easy to pay for.',
    fix: 'Publish an event instead (ralph emit), or say that you mean it: ralph run --nested',
    exitCode: 2,
  });
}
