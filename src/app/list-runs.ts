import { existsSync, statSync } from 'node:fs';
import { isRalphError, RalphError, toErrorCode, toShellWord } from '../core/index.ts';
import {
  hasNeverBegun,
  listKnownRuns,
  listRuns,
  nodeFileSystem,
  type RunPaths,
  removeLeftovers,
  removeRun,
  toRunPaths,
} from '../journal/index.ts';
import { removeTree } from '../process/index.ts';
import { createProofFold } from '../views/index.ts';
import { type RemovedWorktree, removeWorktree } from '../workspace/index.ts';
import { release } from './drive-run.ts';
import { type KnownProject, listProjects } from './known-projects.ts';
import { findLayout, type Layout } from './layout.ts';
import { requireOutside } from './people.ts';
import { reapRun, sweepTrials } from './processes.ts';
import { openRun } from './read-run.ts';
import type { RunSummary } from './run-api.ts';
import { openRunFolder } from './run-facts.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { findHolder, lockRun } from './run-lock.ts';
import { wasKilled } from './stale-owner.ts';
import { toStateDirs } from './state-dirs.ts';
import { sweepLandings } from './sweep-landings.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The runs of a folder, newest first. A run that cannot be read is listed as damaged. */
export function summariseRuns(cwd: string, env: Environment): RunSummary[] {
  const { stateDir } = findLayout(cwd);
  const runs = listKnownRuns({ fs: nodeFileSystem, stateDir });
  return [...runs].reverse().map((runId) => summariseRun(cwd, runId, env));
}

/**
 * The runs of every folder that is known here, with their folder, newest first.
 *
 * @param onUnread is told of a folder whose runs cannot be read, and why; the others are listed all the same
 */
export function summariseAllRuns(
  env: Environment,
  onUnread: (root: string, error: unknown) => void = () => undefined,
): readonly (RunSummary & Pick<KnownProject, 'root'>)[] {
  const listOne = ({ root }: KnownProject): readonly RunSummary[] => {
    try {
      return summariseRuns(root, env);
    } catch (error) {
      onUnread(root, error);
      return [];
    }
  };
  return listProjects(env)
    .flatMap((project) => listOne(project).map((run) => ({ ...run, root: project.root })))
    .toSorted((left, right) => right.startedAt - left.startedAt);
}

/** One run of a folder, as a list shows it. */
export function summariseRun(cwd: string, runId: string, env: Environment): RunSummary {
  const isAlive = (): boolean => findHolder(findLayout(cwd), runId) !== null;
  const nothing = {
    runId,
    startedAt: 0,
    reason: null,
    proof: null,
    iterations: 0,
    interrupted: 0,
    costUsd: null,
    objective: '',
    workspace: '',
    worktree: null,
  };
  try {
    const run = openRun(cwd, runId, env);
    let objective = '';
    let interrupted = 0;
    const proof = createProofFold();
    const state = run.replay((record) => {
      proof.take(record);
      if (record.kind !== 'input') return;
      const { input } = record;
      if (input.type === 'run-started') ({ objective } = input.spec);
      if (input.type === 'iteration-ended' && input.outcome.status === 'interrupted') interrupted += 1;
    });
    const status = state.status === 'ended' ? 'ended' : run.isAlive ? (state.status === 'parked' ? 'parked' : 'running') : 'dead';
    const { workspace, worktree } = readRunFile(toRunPaths(findLayout(cwd).stateDir, runId).settings);
    return {
      runId,
      startedAt: state.startedAt,
      status,
      reason: state.end?.reason ?? null,
      proof: proof.proof(),
      iterations: state.counters.counted,
      interrupted,
      costUsd: state.usage.costUsd,
      objective,
      workspace,
      worktree,
    };
  } catch (error) {
    if (isRalphError(error) && error.code === 'run-not-begun') return { ...nothing, status: isAlive() ? 'running' : 'never_began' };
    const wayBack = isRalphError(error) && error.code === 'journal-lost' ? error.fix : undefined;
    return { ...nothing, status: 'damaged', ...(wayBack !== undefined && { wayBack }) };
  }
}

/** What `ralph clean` is to do. */
export interface CleanOrder {
  /** How many of the newest runs stay. */
  readonly keep: number;
  readonly dryRun: boolean;
}

/** What `ralph clean` did. */
export interface CleanedRuns {
  readonly removed: readonly string[];
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
export async function cleanRuns(cwd: string, order: CleanOrder, env: Environment): Promise<CleanedRuns> {
  const layout = findLayout(cwd);
  if (!order.dryRun) requireOutside(layout, env);
  if (!order.dryRun) await sweepLandings(layout, env, 'ralph clean');
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const runs = [...listRuns(state)].reverse();
  const unbegun = new Set(runs.filter((runId) => hasNeverBegun(state, runId)));
  const old = runs.filter((runId) => !unbegun.has(runId)).slice(Math.max(0, order.keep));
  const removed: string[] = [];
  const kept: string[] = [];
  const failed: RalphError[] = [];
  for (const runId of runs.filter((run) => old.includes(run) || (unbegun.has(run) && !mayBegin(layout, run)))) {
    if (findHolder(layout, runId) !== null) continue;
    try {
      if (!order.dryRun) kept.push(...(await remove(layout, runId, env)));
      removed.push(runId);
    } catch (error) {
      failed.push(toStuck(toRunPaths(layout.stateDir, runId).folder, error));
    }
  }
  if (!order.dryRun) {
    failed.push(...removeLeftovers({ ...state, removeTree }).map(({ path, problem }) => toStuck(path, problem)));
    await sweepTrials(layout);
  }
  return { removed, kept, failed };
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
  if (!listRuns(state).includes(runId) || !hasNeverBegun(state, runId)) return;
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
    release(lock);
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
