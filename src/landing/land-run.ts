import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GateResult } from '../core/gates/gate-result.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { shorten } from '../core/text/shorten.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { GitProblem } from '../git/git.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { findLayout } from '../runs/find-layout.ts';
import { type Layout, toStateName } from '../runs/layout.ts';
import { requireOutside } from '../runs/people.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { RunReader } from '../runs/run-api.ts';
import { type LandRecord, readLandRecord, requireFate, writeLandRecord } from '../runs/run-fate.ts';
import { type RunFile, readRunFile, requireOwnWork } from '../runs/run-file.ts';
import { lockForLanding, lockForMerge, lockRun, releaseLock } from '../runs/run-lock.ts';
import { settleKilledRun, sweepLandings } from '../runs/settle-killed-run.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { RunView } from '../views/fold/run-view.ts';
import { toNextStep } from '../views/report/next-step.ts';
import { type Landing, type MergePlace, type MergeWish, openLanding } from '../workspace/landing/landing.ts';
import type { MergeConflict } from '../workspace/landing/merge-apart.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { commitLeft, toLandInPlace, toNames } from './commit-left.ts';
import { judgeMerge, type KeepGates } from './judge-merge.ts';
import { type Resolution, resolveConflict, type StartResolver } from './resolve-conflict.ts';
import { requireResolver } from './resolver-settings.ts';

export interface LandRequest {
  /** An id or the beginning of one; absent: the newest. */
  readonly run: string | undefined;
  /** Short name of a branch; null: the one that was checked out when the run began. */
  readonly onto: string | null;
  readonly isSquashed: boolean;
  /** Also a run that has not completed. */
  readonly takesUnfinished: boolean;
  /** Remove the worktree and the branch after that. */
  readonly cleans: boolean;
  /** The hat that a conflict is given to, or `ralph`; null: nobody. */
  readonly resolver: string | null;
}

export interface LandWatch {
  readonly signal: AbortSignal;
  readonly observe: (gate: number, line: string) => void;
  /** Is told when a hat begins to resolve a conflict, with the run that is its turn. */
  readonly onResolving?: (turn: { readonly runId: string; readonly hat: string; readonly files: number }) => void;
}

/** What a landing is handed: only who assembles runs knows how. */
export interface LandingParts {
  readonly keepGates: KeepGates;
  readonly startTurn: StartResolver;
}

/** What came of it. Only `landed` changed anything. */
export interface LandReport {
  readonly runId: string;
  readonly outcome: 'landed' | 'nothing' | 'conflict' | 'refused';
  readonly branch: string;
  readonly onto: string;
  readonly worktree: string;
  /** Absolute. */
  readonly worktreePath: string;
  /** The commit that the target is at now; null: it was not moved. */
  readonly commit: string | null;
  readonly how: 'fast-forward' | 'merge' | 'squash' | null;
  readonly commits: number;
  readonly conflicts: readonly MergeConflict[];
  /** What a hat made of them; null: it was asked of none, or there was no conflict. */
  readonly resolution: Resolution | null;
  /** What the gates said about the merged tree. */
  readonly gates: readonly (GateResult & { readonly required: boolean })[];
  /** Where the target is checked out; null: nowhere. */
  readonly checkout: string | null;
  /** True if worktree and branch are gone. */
  readonly isCleaned: boolean;
  /** Why they are not, though that was asked; else empty. */
  readonly keptWhy: string;
}

/**
 * Brings the branch of a run home: merges it in a worktree for that alone, runs the gates there, then moves the target branch forward. What is not committed in the
 * main checkout stays as it is. Landing what has landed does nothing.
 *
 * @throws RalphError `land-…`, `run-in-progress`, `person-refused`, and what `openRunReader` throws
 */
export async function performLanding(
  parts: LandingParts,
  cwd: string,
  request: LandRequest,
  watch: LandWatch,
  env: Environment,
): Promise<LandReport> {
  const layout = findLayout(cwd);
  requireOutside(layout, env);
  const reader = openRunReader(cwd, request.run, env);
  const paths = toRunPaths(layout.stateDir, reader.runId);
  const file = readRunFile(paths.settings);
  requireOwnWork(paths, file);
  if (request.resolver !== null) requireResolver(file.settings, reader.runId, request.resolver);
  const name = file.worktree;
  if (name === null) throw toLandInPlace({ runId: reader.runId, folder: file.workspace });
  const order = { layout, runId: reader.runId, worktree: name, command: 'ralph land' };
  const folderLock = await lockForLanding(order);
  try {
    requireLandable(reader, paths, request);
    await settleKilledRun(layout, reader.runId, env, order.command);
    await sweepLandings(layout, env, order.command);
    const runLock = await lockRun(order);
    try {
      return await land({ ...parts, layout, paths, file, env, name, request, watch });
    } finally {
      releaseLock(runLock);
    }
  } finally {
    releaseLock(folderLock);
  }
}

/** Refuses a run that was undone or whose fate nobody can tell, and one that has not completed unless that is wanted. */
function requireLandable(reader: RunReader, paths: RunPaths, { takesUnfinished }: LandRequest): void {
  requireFate(paths, reader.turns(), 'landed');
  if (takesUnfinished) return;
  const fold = createRunViewFold();
  reader.replay((record) => fold.take(record));
  const view = fold.view();
  if (view.end?.reason !== 'completed') throw toUnfinished(view);
}

interface LandJob extends LandingParts {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly name: string;
  readonly request: LandRequest;
  readonly watch: LandWatch;
}

async function land(job: LandJob): Promise<LandReport> {
  await commitLeft(job, 'landed');
  const landing = await openEnds(job);
  const { source } = landing;
  const report = await toUnmoved(job, landing);
  const record = readLandRecord(job.paths);
  const landed = await findLanded(landing, record);
  if (landed !== null && !landed.isDone) writeLandRecord(job.paths, { ...landed, isDone: true });
  if (landed !== null || (source !== null && (await landing.has(source)))) return clean(job, landing, report);
  if (source === null) {
    throw toFailed(job, `its branch ${toBranch(job)} is gone`, 'Another branch may hold its work: git branch --list --all');
  }
  const begun = findBegun(landing, record);
  if (begun !== null) await settle(job, landing, report, begun);
  return merge(job, landing, report, begun);
}

/** The report of a landing that moves nothing. */
async function toUnmoved(job: LandJob, landing: Landing): Promise<LandReport> {
  const worktreePath = join(job.layout.worktreesDir, job.name);
  return {
    runId: job.paths.runId,
    outcome: 'nothing',
    branch: toBranch(job),
    onto: landing.onto,
    worktree: job.name,
    worktreePath,
    commit: null,
    how: null,
    commits: landing.commits,
    conflicts: [],
    resolution: null,
    gates: [],
    checkout: await landing.checkout(),
    isCleaned: landing.source === null && !existsSync(worktreePath),
    keptWhy: '',
  };
}

/** The earlier landing of the same work whose result is on the target; its branch may be gone since. */
async function findLanded({ onto, source, has }: Landing, record: LandRecord | null): Promise<LandRecord | null> {
  if (record === null || record.onto !== onto || (source !== null && record.source !== source)) return null;
  return (await has(record.to)) ? record : null;
}

/** The landing of the same two commits that was killed before the branch had moved. */
function findBegun({ onto, source, target }: Landing, record: LandRecord | null): LandRecord | null {
  return record?.from === target && record.source === source && record.onto === onto ? record : null;
}

/** Brings the files of the checkout in order, some of which such a landing may have written. */
function settle(job: LandJob, landing: Landing, { checkout }: LandReport, begun: LandRecord): Promise<void> {
  const move = { branch: begun.onto, from: begun.from, to: begun.to };
  return inCheckout(job, checkout, () => tryGit(job, () => landing.settle(move, job.paths.folder)));
}

function merge(job: LandJob, landing: Landing, report: LandReport, begun: LandRecord | null): Promise<LandReport> {
  // Files may be there already as a hat resolved them: the same merge goes on.
  const made: MergeWish['made'] = begun?.isResolved ? { commit: begun.to, how: begun.isMerge ? 'merge' : 'squash' } : undefined;
  const wish = { subject: toSubject(job), isSquashed: job.request.isSquashed, ...(made && { made }) };
  return tryGit(job, () =>
    landing.mergeIn(wish, (merged, place) => {
      if (!merged.isMerged) return resolve(job, landing, { ...report, outcome: 'conflict', conflicts: merged.conflicts }, place);
      const { commit, how } = merged;
      return finish(job, landing, { ...report, commit, how }, { ...place, isResolved: made !== undefined });
    }),
  );
}

/** Gives a conflict to the hat named for it; without one it is only reported. */
async function resolve(job: LandJob, landing: Landing, report: LandReport, place: MergePlace): Promise<LandReport> {
  const { request, watch } = job;
  const { resolver: hat } = request;
  if (hat === null) return report;
  const { conflicts } = report;
  const { signal } = watch;
  const onBegun = (runId: string): void => watch.onResolving?.({ runId, hat, files: conflicts.length });
  const { resolution, commit } = await resolveConflict({ ...job, hat, landing, branch: toBranch(job), conflicts, place, signal, onBegun });
  if (commit === null) return { ...report, resolution };
  const how = request.isSquashed ? 'squash' : 'merge';
  return finish(job, landing, { ...report, resolution, commit, how }, { ...place, isResolved: true });
}

interface MadePlace extends MergePlace {
  readonly isResolved: boolean;
}

/** Runs the gates on the merge, which is not on the branch yet, then moves the branch. */
async function finish(job: LandJob, landing: Landing, report: LandReport, place: MadePlace): Promise<LandReport> {
  const { onto, source, target } = landing;
  const move = { branch: onto, from: target, to: report.commit ?? target };
  const isHere = report.checkout !== null;
  // Told before the gates, which take long; the files may change while they run, so it is looked at once more.
  if (isHere) requireFree(job, await landing.listOverwritten(move));
  const { signal, observe } = job.watch;
  const judged = await judgeMerge({ ...job, branch: toBranch(job), signal, observe }, place);
  if (!judged.passed) return { ...report, outcome: 'refused', commit: null, how: null, gates: judged.results };
  await inCheckout(job, report.checkout, async () => {
    if (isHere) requireFree(job, await landing.listOverwritten(move));
    const record = {
      onto,
      source: source ?? move.to,
      from: move.from,
      to: move.to,
      isMerge: report.how === 'merge',
      isResolved: place.isResolved,
      at: Date.now(),
      isDone: false,
    };
    writeLandRecord(job.paths, record);
    await landing.move(move);
    writeLandRecord(job.paths, { ...record, isDone: true });
  });
  return clean(job, landing, { ...report, outcome: 'landed', gates: judged.results });
}

/** If the target is checked out, no run may begin meanwhile: it would see half of the change. */
async function inCheckout(job: LandJob, checkout: string | null, act: () => Promise<void>): Promise<void> {
  const lock = checkout === null ? null : await lockForMerge({ layout: job.layout, runId: 'none', worktree: null, command: 'ralph land' });
  try {
    await act();
  } finally {
    if (lock !== null) releaseLock(lock);
  }
}

async function openEnds(job: LandJob): Promise<Landing> {
  const { layout, file, env, paths, request } = job;
  return tryGit(job, () =>
    openLanding({
      cwd: layout.root,
      env,
      stateDirs: toStateDirs(file.settings),
      programs: file.gitPrograms,
      stateDir: toStateName(layout),
      runId: paths.runId,
      branch: toBranch(job),
      onto: request.onto ?? file.base?.branch ?? null,
      links: file.settings.worktreeLinks,
    }),
  );
}

async function tryGit<Value>(job: LandJob, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw toFailed(job, toErrorMessage(error), error instanceof GitProblem ? error.fix : null);
  }
}

/** Removes worktree and branch where that is asked, and nothing that only they have. */
async function clean(job: LandJob, landing: Landing, report: LandReport): Promise<LandReport> {
  if (!job.request.cleans) return report;
  const { layout, file, env, name } = job;
  const { settings } = file;
  try {
    const { keptBranch } = await removeWorktree({
      cwd: layout.root,
      env,
      stateDirs: toStateDirs(settings),
      stateDir: toStateName(layout),
      name,
      links: settings.worktreeLinks,
      programs: file.gitPrograms,
      baseline: file.baseline,
      force: false,
    });
    // All of it is on the target, if under another commit.
    if (keptBranch !== null && landing.source !== null) await landing.dropBranch(landing.source);
    return { ...report, isCleaned: true };
  } catch (error) {
    return { ...report, keptWhy: toErrorMessage(error) };
  }
}

function toBranch({ name }: Pick<LandJob, 'name'>): string {
  return `ralph/${name}`;
}

const SUBJECT_CHARS = 60;

function toSubject({ file, request, paths }: LandJob): string {
  const line = maskControls(file.settings.spec.objective.trim().split('\n')[0] ?? '').trim();
  const short = shorten(line, SUBJECT_CHARS);
  if (request.isSquashed) return short === '' ? `Run ${paths.runId}` : short;
  return `Merge run ${paths.runId}${short === '' ? '' : `: ${short}`}`;
}

function requireFree({ paths, request }: LandJob, overwritten: readonly string[]): void {
  if (overwritten.length === 0) return;
  throw new RalphError({
    code: 'land-refused',
    what: `Run ${paths.runId} was not landed: it would overwrite files here that are not committed: ${toNames(overwritten)}.`,
    why: 'They are yours, and nothing else has them.',
    fix: `Commit, move or stash them, then: ralph land ${paths.runId}${request.isSquashed ? ' --squash' : ''}`,
  });
}

function toUnfinished(view: RunView): RalphError {
  const { runId } = view;
  const reason = view.end?.reason ?? null;
  const [, goOn = `ralph resume ${runId}`] = /`(ralph resume[^`]*)`/.exec(toNextStep(view, false)) ?? [];
  return new RalphError({
    code: 'land-unfinished',
    what: `Run ${runId} has not completed${reason === null ? '' : ` (${reason})`}, so it is not landed.`,
    fix: `Go on with it: ${goOn}\nLand what is there: ralph land ${runId} --unfinished`,
  });
}

function toFailed({ paths }: Pick<LandJob, 'paths'>, problem: string, fix: string | null): RalphError {
  return new RalphError({
    code: 'land-failed',
    what: `Run ${paths.runId} was not landed: ${problem}.`,
    fix: `${fix ?? 'Do what git says.'}\nThen again: ralph land ${paths.runId}`,
  });
}
