import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, RalphError, toErrorCode } from '../core/values/errors.ts';
import { hasNeverBegun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { listRunIds, type RunPaths, removeLeftovers, removeRun, toRunPaths } from '../journal/run-folder.ts';
import { removeTree } from '../process/remove-tree.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { type RemovedWorktree, removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { wasKilled } from './living-runs.ts';
import { requireOutside } from './people.ts';
import { reapRun, sweepTrials } from './processes.ts';
import { type RunFile, readRunFile, refuseCopy } from './run-file.ts';
import { findHolder, lockRun, releaseLock } from './run-lock.ts';
import { openRunFolder } from './run-workspace.ts';
import { sweepLandings } from './settle-killed-run.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

export interface CleanOrder {
  /** How many of the newest runs stay. */
  readonly keep: number;
  readonly dryRun: boolean;
  /** Runs that stay, however old: they are under way elsewhere. */
  readonly spared?: ReadonlySet<string>;
}

export interface FleetRun {
  readonly runId: string;
  /** Its address, without who asks. */
  readonly fleet: string;
  /** What the fleet calls the folder of the run; empty: it is not known. */
  readonly place: string;
}

export interface CleanedRuns {
  readonly removed: readonly string[];
  /** Those of them that a fleet keeps, too. */
  readonly onFleet: readonly FleetRun[];
  /** Worktrees and branches of removed runs that stay because of what is in them: why, and what to do, in words. */
  readonly kept: readonly string[];
  /** What could not be removed: why, and what to do. */
  readonly failed: readonly RalphError[];
}

/**
 * Removes old runs with their prompts, outputs and snapshots, and those that never began, however new. Runs that are under way stay, and
 * worktrees with something that only they have.
 *
 * @throws RalphError `person-refused` for what belongs to a run, `dryRun` aside
 */
export async function removeRuns(cwd: string, order: CleanOrder, env: Environment): Promise<CleanedRuns> {
  const layout = findLayout(cwd);
  if (!order.dryRun) requireOutside(layout, env);
  if (!order.dryRun) await sweepLandings(layout, env, 'ralph clean');
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const runs = [...listRunIds(state)].reverse();
  const unbegun = new Set(runs.filter((runId) => hasNeverBegun(state, runId)));
  const old = runs.filter((runId) => !unbegun.has(runId)).slice(Math.max(0, order.keep));
  const removed: string[] = [];
  const onFleet: FleetRun[] = [];
  const kept: string[] = [];
  const failed: RalphError[] = [];
  for (const runId of runs.filter((run) => old.includes(run) || (unbegun.has(run) && !mayBegin(layout, run)))) {
    if (order.spared?.has(runId) === true || findHolder(layout, runId) !== null) continue;
    const fleetRun = findFleetRun(layout, runId);
    try {
      refuseCopy(toRunPaths(layout.stateDir, runId));
      if (!order.dryRun) kept.push(...(await remove(layout, runId, env)));
      removed.push(runId);
      onFleet.push(...fleetRun);
    } catch (error) {
      failed.push(toStuck(toRunPaths(layout.stateDir, runId).folder, error));
    }
  }
  if (!order.dryRun) {
    failed.push(...removeLeftovers({ ...state, removeTree }).map(({ path, problem }) => toStuck(path, problem)));
    await sweepTrials(layout);
  }
  return { removed, onFleet, kept, failed };
}

function findFleetRun(layout: Layout, runId: string): readonly FleetRun[] {
  const { settings, folder } = toRunPaths(layout.stateDir, runId);
  try {
    const { fleet } = readRunFile(settings);
    if (fleet === undefined) return [];
    const path = join(folder, 'place');
    return [{ runId, fleet, place: existsSync(path) ? readFileSync(path, 'utf8').trim() : '' }];
  } catch {
    return [];
  }
}

/** What mends it, by the system's word for it. */
const STUCK_FIXES: Readonly<Record<string, (folder: string, path: string) => string>> = {
  EPERM: (folder) => `Take the protection off: sudo chattr -R -i -a ${folder}\nThen: ralph clean`,
  EBUSY: (_folder, path) => `Where something is mounted there, take it away: sudo umount ${path}\nThen: ralph clean`,
  EACCES: (folder) => `It belongs to somebody else. Remove it as them or as root: sudo rm -rf ${folder}`,
};

/** Why a folder of a run is still there. Throws what is no error of the system and no RalphError. */
function toStuck(folder: string, error: unknown): RalphError {
  if (isRalphError(error)) return error;
  const code = toErrorCode(error);
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : folder;
  return new RalphError({
    code: 'clean-incomplete',
    what: `${path} cannot be removed (${code}).`,
    why: 'The rest of the clean-up went on without it.',
    fix: STUCK_FIXES[code]?.(toShellWord(folder), toShellWord(path)) ?? `Mend what keeps it there, then: ralph clean`,
    cause: error,
  });
}

/** A run takes its lock at once, but after its folder was made. */
const BEGINNING_MS = 60_000;

function mayBegin(layout: Layout, runId: string): boolean {
  const { folder, lock } = toRunPaths(layout.stateDir, runId);
  return !existsSync(lock) && Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) < BEGINNING_MS;
}

/** Removes what was made for a run that was killed before its first entry. What cannot be removed stays for `ralph clean`. */
export async function discardUnbegun(layout: Layout, runId: string, env: Environment): Promise<void> {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  if (!listRunIds(state).includes(runId) || !hasNeverBegun(state, runId)) return;
  await remove(layout, runId, env).catch(() => undefined);
}

async function remove(layout: Layout, runId: string, env: Environment): Promise<CleanedRuns['kept']> {
  const isKilled = wasKilled(layout, runId);
  const lock = await lockRun({ layout, runId, worktree: null, command: 'ralph clean' });
  try {
    // Once the run is gone, nobody could find what it left running.
    await reapRun(runId);
    if (isKilled) await noteProgramsOfDead(layout, toRunPaths(layout.stateDir, runId).settings, { cwd: layout.root, env });
    return await removeUnwatched(layout, runId, env);
  } finally {
    releaseLock(lock);
  }
}

async function removeUnwatched(layout: Layout, runId: string, env: Environment): Promise<CleanedRuns['kept']> {
  const paths = toRunPaths(layout.stateDir, runId);
  const kept = await removeWork(layout, paths, env);
  removeRun({ fs: nodeFileSystem, stateDir: layout.stateDir, removeTree }, runId);
  return kept;
}

/** A run whose settings are lost has no snapshots that could be found, and no worktree. */
async function removeWork(layout: Layout, paths: RunPaths, env: Environment): Promise<CleanedRuns['kept']> {
  let worktree: string | null = null;
  try {
    const file = readRunFile(paths.settings);
    // That of a landing is not its own.
    worktree = file.resolves === undefined ? file.worktree : null;
    await openRunFolder({ layout, paths, env }, file).dropSnapshots();
    if (worktree === null) return [];
    const { keptBranch } = await removeOwnWorktree(layout, file, worktree, env);
    return keptBranch === null
      ? []
      : [
          `The branch ${keptBranch} stays: it has commits that are nowhere else. Merge it: git merge ${keptBranch}; delete it: git branch -D ${keptBranch}`,
        ];
  } catch (error) {
    return worktree === null
      ? []
      : [
          isRalphError(error)
            ? [error.message, error.why, error.fix].filter((part) => part !== undefined).join('\n')
            : `The worktree ${worktree} stays: ${toErrorCode(error)}`,
        ];
  }
}

/** The worktree goes with its run, and its branch where that has no commits of its own; one with uncommitted work is refused. */
async function removeOwnWorktree(layout: Layout, file: RunFile, name: string, env: Environment): Promise<RemovedWorktree> {
  const { settings } = file;
  return removeWorktree({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(settings),
    stateDir: settings.stateDir,
    name,
    links: settings.worktreeLinks,
    programs: file.gitPrograms,
    baseline: file.baseline,
    force: false,
  });
}
