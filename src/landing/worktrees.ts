import { sep } from 'node:path';
import { findNearMiss } from '../core/text/near-miss.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { listRunIds, toRunPaths } from '../journal/run-folder.ts';
import { findLayout } from '../runs/find-layout.ts';
import { type Layout, toStateName } from '../runs/layout.ts';
import { summariseRun } from '../runs/list-runs.ts';
import { requireOutside } from '../runs/people.ts';
import type { RunSummary } from '../runs/run-api.ts';
import { type RunFile, readRunFile } from '../runs/run-file.ts';
import { findWorkspaceHolder, lockForMerge, releaseLock, toStopCommand } from '../runs/run-lock.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { type RemovedWorktree, removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import {
  diffWorktree,
  listLeftOut,
  listWorktrees,
  mergeWorktree,
  type WorktreeState,
  type WorktreesSettings,
} from '../workspace/worktree/worktrees.ts';

/** A worktree with the newest run that worked in it; `null` where that is gone. */
export interface RunWorktree extends WorktreeState {
  readonly run: RunSummary | null;
}

/** The worktrees of the runs of a folder, by name. */
export async function listRunWorktrees(cwd: string, env: Environment): Promise<readonly RunWorktree[]> {
  const layout = findLayout(cwd);
  const files = readRunFiles(layout);
  const states = await listWorktrees(toSettings(layout, files, env));
  return states.map((state) => {
    const runId = files.find(({ file }) => file.worktree === state.name)?.runId;
    return { ...state, run: runId === undefined ? null : summariseRun(cwd, runId, env) };
  });
}

/** The worktree that a folder is in; `null` for one that is in none. */
export async function findRunWorktree(cwd: string, folder: string, env: Environment): Promise<WorktreeState | null> {
  const layout = findLayout(cwd);
  const states = await listWorktrees(toSettings(layout, readRunFiles(layout), env));
  return states.find(({ path }) => `${folder}${sep}`.startsWith(`${path}${sep}`)) ?? null;
}

/** What git's configuration names to be run and is left out of work on the worktree. See `listLeftOut`. */
export async function listLeftOutPrograms(cwd: string, name: string, env: Environment): Promise<readonly string[]> {
  const layout = findLayout(cwd);
  const settings = toSettings(layout, readRunFiles(layout), env, name);
  await demandKnown(settings, name);
  return listLeftOut(settings, name);
}

/** All that a worktree has and the commit from which it began has not, as a patch. Throws RalphError `worktree-…`. */
export async function diffRunWorktree(cwd: string, name: string, env: Environment): Promise<string> {
  const layout = findLayout(cwd);
  const settings = toSettings(layout, readRunFiles(layout), env, name);
  await demandKnown(settings, name);
  return diffWorktree(settings, name);
}

/**
 * Merges a worktree's branch into the branch that is checked out here.
 *
 * @throws RalphError `run-in-progress` while a run works in it or here; `person-refused` for what belongs to a run; `worktree-…`
 */
export async function mergeRunWorktree(cwd: string, name: string, env: Environment): ReturnType<typeof mergeWorktree> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  const settings = toSettings(layout, readRunFiles(layout), env, name);
  await demandKnown(settings, name);
  refuseBusy(layout, name);
  // A run that begins here meanwhile would see half a merge.
  const lock = await lockForMerge({ layout, runId: 'none', worktree: null, command: 'ralph worktrees merge' });
  try {
    return await mergeWorktree(settings, name);
  } finally {
    releaseLock(lock);
  }
}

/**
 * Removes a worktree, and its branch where that has no commits of its own; with `force` whatever is in them.
 *
 * @throws RalphError `run-in-progress` while a run works in it; `person-refused` for what belongs to a run; `worktree-…`
 */
export async function removeRunWorktree(cwd: string, name: string, force: boolean, env: Environment): Promise<RemovedWorktree> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  const files = readRunFiles(layout);
  const settings = toSettings(layout, files, env, name);
  await demandKnown(settings, name);
  refuseBusy(layout, name);
  const links = files.find(({ file }) => file.worktree === name)?.file.settings.worktreeLinks ?? [];
  return removeWorktree({ ...settings, name, links, baseline: settings.findBaseline(name), force });
}

interface KnownRun {
  readonly runId: string;
  readonly file: RunFile;
}

/** The newest first; those that cannot be read are left out. */
function readRunFiles(layout: Layout): readonly KnownRun[] {
  return [...listRunIds({ fs: nodeFileSystem, stateDir: layout.stateDir })].reverse().flatMap((runId) => {
    return tryOr(() => [{ runId, file: readRunFile(toRunPaths(layout.stateDir, runId).settings) }], []);
  });
}

const USUAL_STATE_DIRS = ['.ralph', '.agent'];

/** @param name the worktree that is meant: git runs the programs that it knew when the newest run in it began, and nothing that an agent added; where no run is known, none */
function toSettings(layout: Layout, runs: readonly KnownRun[], env: Environment, name?: string): WorktreesSettings {
  const newest = runs.find(({ file }) => file.worktree === name) ?? runs[0];
  const stateDirs = newest === undefined ? USUAL_STATE_DIRS : toStateDirs(newest.file.settings);
  // The newest run of that name has made the worktree.
  const findBaseline = (worktree: string) => runs.find(({ file }) => file.worktree === worktree)?.file.baseline ?? null;
  return { cwd: layout.root, env, stateDirs, stateDir: toStateName(layout), programs: newest?.file.gitPrograms ?? {}, findBaseline };
}

async function demandKnown(settings: WorktreesSettings, name: string): Promise<void> {
  const names = (await listWorktrees(settings)).map((worktree) => worktree.name);
  if (names.includes(name)) return;
  const near = findNearMiss(name, names);
  throw new RalphError({
    code: 'worktree-unknown',
    what: `There is no worktree ${JSON.stringify(name.slice(0, 64))} here.`,
    fix: near === undefined ? 'See which there are: ralph worktrees' : `Did you mean ${near}? All of them: ralph worktrees`,
    exitCode: 2,
  });
}

function refuseBusy(layout: Layout, name: string): void {
  const holder = findWorkspaceHolder(layout, name);
  if (holder === null) return;
  throw new RalphError({
    code: 'run-in-progress',
    what: `Run ${holder.owner?.runId ?? '(unknown)'} is under way in the worktree ${name}.`,
    why: 'What an agent is at work on is not ready to be merged or removed.',
    fix: `Stop it: ${toStopCommand(layout, holder)}`,
  });
}
