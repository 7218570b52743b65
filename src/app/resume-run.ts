import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { diffSettings, type Settings } from '../config/index.ts';
import { END_REASONS, type EndReason, RalphError, type RunLimits, type RunState } from '../core/index.ts';
import { toContractPath, writeContract } from '../emit/index.ts';
import { findRun, findRunId, type Lock, nodeFileSystem, type RunPaths, readJournal, toRunPaths } from '../journal/index.ts';
import { createJournalFold, type FoldedRun, recoverRun } from '../loop/shell/index.ts';
import { createWorktree } from '../workspace/index.ts';
import { assembleRun } from './assemble-run.ts';
import { clearPlacesApart } from './clear-places-apart.ts';
import { driveRun, release } from './drive-run.ts';
import { listGroundFiles, openGateGround } from './gate-ground.ts';
import { findLayout, type Layout } from './layout.ts';
import { openAgentFolders } from './open-folders.ts';
import { requireGoodToken, toPeopleFile, withoutToken, writePeople } from './people.ts';
import { planRun, type RunPlan } from './plan-run.ts';
import { loadPluginFiles } from './plugin-files.ts';
import { reapRun } from './processes.ts';
import type { RunHandle, RunWatch } from './run-api.ts';
import { listChangedSecrets, type RunFile, readRunFile, requireOwnWork, writeRunFile } from './run-file.ts';
import { isolatesAll } from './run-isolation.ts';
import { lockRun, lockWorkspace } from './run-lock.ts';
import { packForSafety } from './safety.ts';
import { wasKilled } from './stale-owner.ts';
import { toStateDirs } from './state-dirs.ts';
import { clearStopWish } from './stop-file.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

/** How a run is to go on. */
export interface ResumeOptions {
  readonly cwd: string;
  /** An id, the beginning of one; absent: the newest. */
  readonly run?: string;
  readonly maxIterations?: { readonly add: number } | { readonly set: number };
  readonly maxCostUsd?: number;
  /** Running time in all, or that much more of it. */
  readonly maxRuntimeMs?: { readonly add: number } | { readonly set: number };
  readonly acceptChanges: boolean;
  /** Asks a person whether to go on with what changed; absent where nobody can be asked. */
  readonly confirm?: (changed: readonly string[]) => Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A run that goes on, or one that has ended for good. */
export type Resumed =
  /** `warnings`: what a person should know, as at the start of a run. */
  | { readonly kind: 'running'; readonly handle: RunHandle; readonly warnings: readonly string[] }
  | { readonly kind: 'ended'; readonly runId: string; readonly reason: EndReason; readonly exitCode: number; readonly text: string };

/**
 * Goes on with a run: after Ctrl+C, a kill, a crash of the machine, a limit, a failure. A resume that is refused leaves the run as it was.
 *
 * @throws RalphError `token-invalid`; `plugin-file`, `tool-invalid`, `tool-twice`; `no-runs`, `run-unknown`, `journal-lost`, `run-in-progress`, `resume-changed`; the system error
 */
export async function resumeRun(given: ResumeOptions, watch: RunWatch): Promise<Resumed> {
  requireGoodToken(given.env);
  const options = { ...given, env: withoutToken(given.env), people: given.env };
  const layout = findLayout(options.cwd);
  const runId = findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, options.run ?? 'last');
  const paths = toRunPaths(layout.stateDir, runId);
  const file = readRunFile(paths.settings);
  requireOwnWork(paths, file);
  const order = { layout, runId, worktree: file.worktree, command: 'ralph resume' };
  const isKilled = wasKilled(layout, runId);
  const locks: Lock[] = [await lockRun(order)];
  try {
    // A resume that is refused gives back the lock by which others know of the kill.
    if (isKilled) await noteProgramsOfDead(layout, paths.settings, { cwd: layout.root, env: options.env });
    // Only what is older than our lock is an old wish: who asks from now on means this process.
    clearStopWish(paths.folder);
    locks.push(await lockWorkspace(order));
    return await goOn({ options, watch, layout, paths, file, locks });
  } catch (error) {
    for (const lock of locks) release(lock);
    throw error;
  }
}

interface Resumption {
  readonly options: ResumeOptions & { readonly people: ResumeOptions['env'] };
  readonly watch: RunWatch;
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly locks: readonly Lock[];
}

async function goOn(resumption: Resumption): Promise<Resumed> {
  const { options, layout, paths, locks } = resumption;
  const ended = findFinalEnd(readFold(paths), options);
  if (ended !== null) {
    for (const lock of locks) release(lock);
    return { kind: 'ended', runId: paths.runId, ...ended };
  }
  const changes = await takeChanges(resumption);
  const { next } = changes;
  await loadPluginFiles(next.settings, layout.root);
  await reapRun(paths.runId);
  await clearPlacesApart(layout, { runId: paths.runId, file: next, env: options.env }).catch(() => undefined);
  await restoreWorkspace(layout, next, options);
  const putBack = keepFiles([paths.settings, toPeopleFile(paths), toContractPath(paths.folder), ...listGroundFiles(paths)]);
  try {
    return await drive(resumption, changes);
  } catch (error) {
    putBack();
    throw error;
  }
}

async function drive({ options, watch, layout, paths, locks }: Resumption, changes: TakenChanges): Promise<Resumed> {
  const { next, isChanged, isolation, warnings } = changes;
  writeRunFile(paths.settings, next);
  writePeople(paths, {
    who: next.settings.externalEvents,
    isIsolated: isolatesAll(isolation, next.settings.spec),
    env: options.people,
  });
  writeContract(paths.folder, { spec: next.settings.spec, workspace: next.workspace });
  const fold = createJournalFold();
  const ground = await openGateGround({ paths, file: next, env: options.env }, true);
  const parts = { layout, paths, file: next, env: options.env, watch, ground, isolation };
  const run = assembleRun(parts, (entry) => void fold.take(entry));
  const folded = fold.run();
  const spec = isChanged ? { spec: next.settings.spec } : {};
  const inputs = await recoverRun(run.ports, folded, { ...spec, limits: toLimits(folded.state, options) });
  return { kind: 'running', handle: driveRun(parts, run, { folded, inputs }, locks), warnings };
}

/** Remembers small files; the function that is returned puts them back as they were. */
function keepFiles(paths: readonly string[]): () => void {
  const kept = paths.map((path) => [path, existsSync(path) ? readFileSync(path) : null] as const);
  return () => {
    for (const [path, bytes] of kept) {
      if (bytes === null) rmSync(path, { force: true });
      else writeFileSync(path, bytes);
    }
  };
}

function readFold(paths: RunPaths): FoldedRun {
  const fold = createJournalFold();
  readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => void fold.take(entry));
  return fold.run();
}

/** An end that a resume cannot lift: the work is complete, or a limit is used up and was not raised. */
function findFinalEnd(
  { state }: FoldedRun,
  options: ResumeOptions,
): { readonly reason: EndReason; readonly exitCode: number; readonly text: string } | null {
  const { end } = state;
  if (end === null) return null;
  const raised = { ...state.limits, ...toLimits(state, options) };
  if (!isFinal(end.reason, state, raised)) return null;
  const { exitCode, text } = END_REASONS[end.reason];
  return { reason: end.reason, exitCode, text: `This run has ended: ${text} (${end.detail})` };
}

function isFinal(reason: EndReason, state: RunState, limits: RunLimits): boolean {
  switch (reason) {
    case 'completed':
      return true;
    case 'max_iterations':
      return limits.maxIterations <= state.counters.counted;
    case 'max_cost':
      return limits.maxCostUsd !== null && (state.usage.costUsd ?? 0) >= limits.maxCostUsd;
    // What more time is given, or was left, is found when the run goes on.
    case 'max_runtime':
    case 'stalled':
    case 'loop_detected':
    case 'consecutive_failures':
    case 'gate_refused':
    case 'config_invalid':
    case 'workspace_gone':
    case 'storage_failed':
    case 'parked':
    case 'interrupted':
    case 'terminated':
    case 'hangup':
      return false;
  }
}

function toLimits(state: RunState, { maxIterations, maxCostUsd, maxRuntimeMs }: ResumeOptions): Partial<RunLimits> {
  const iterations =
    maxIterations === undefined
      ? {}
      : {
          maxIterations:
            'add' in maxIterations ? Math.max(state.limits.maxIterations, state.counters.counted) + maxIterations.add : maxIterations.set,
        };
  const runtime =
    maxRuntimeMs === undefined
      ? {}
      : {
          maxRuntimeMs: 'add' in maxRuntimeMs ? Math.max(state.limits.maxRuntimeMs, state.elapsedMs) + maxRuntimeMs.add : maxRuntimeMs.set,
        };
  return { ...iterations, ...runtime, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
}

interface TakenChanges {
  /** The file with the settings as they are now: what was kept of them is without secrets. */
  readonly next: RunFile;
  /** Whether they say something else than when the run was started. */
  readonly isChanged: boolean;
  readonly isolation: RunPlan['isolation'];
  readonly warnings: readonly string[];
}

/** Loads the configuration anew; what changed since is named and asked about. */
async function takeChanges({ options, layout, paths, file }: Resumption): Promise<TakenChanges> {
  const plan = await reload(options, layout, file);
  const { isolation } = plan;
  const warnings = [
    ...plan.warnings,
    ...listChangedSecrets(paths.settings, file, plan.settings).map(
      (name) => `The variable ${name} says something else than when the run was started.`,
    ),
  ];
  const next = { ...file, settings: withGateOfStart(plan.settings, file.settings) };
  const changed = diffSettings(file.settings, plan.settings);
  if (changed.length === 0)
    return { next: { ...next, settings: { ...plan.settings, spec: file.settings.spec } }, isChanged: false, isolation, warnings };
  const isAccepted = options.acceptChanges || (options.confirm !== undefined && (await options.confirm(changed)));
  if (isAccepted) return { next, isChanged: true, isolation, warnings };
  throw new RalphError({
    code: 'resume-changed',
    what: `Since the run was started this has changed: ${changed.join(', ')}.`,
    why: 'A run that goes on under other rules than it began with should do so on purpose.',
    fix: `Go on with the changes: ${toCommand(layout, paths.runId, options)} --accept-changes\nor change them back, then: ${toCommand(layout, paths.runId, options)}`,
    exitCode: 2,
  });
}

/** What Ralph found as the run began stands for the whole run: a file that an agent wrote since names no other command. What a person allows counts from now on. */
function withGateOfStart(now: Settings, start: Settings): Settings {
  if (now.seeksGate !== true || start.seeksGate !== true) return now;
  const { mayChangeTests } = now;
  const found = start.spec.gates.flatMap(({ mayChangeTests: _, ...gate }) =>
    gate.from === undefined ? [] : [{ ...gate, ...(mayChangeTests && { mayChangeTests }) }],
  );
  return { ...now, spec: { ...now.spec, gates: [...found, ...now.spec.gates.filter(({ from }) => from === undefined)] } };
}

/** As it was typed, with the run that it was typed for. */
function toCommand({ stateDir }: Layout, runId: string, { maxIterations, maxCostUsd, maxRuntimeMs }: ResumeOptions): string {
  const toLimit = (value: { readonly add: number } | { readonly set: number }, unit: number): string =>
    'add' in value ? `+${value.add / unit}` : String(value.set / unit);
  return [
    'ralph resume',
    ...(findRunId({ fs: nodeFileSystem, stateDir }, 'last') === runId ? [] : [runId]),
    ...(maxIterations === undefined ? [] : [`--max-iterations ${toLimit(maxIterations, 1)}`]),
    ...(maxCostUsd === undefined ? [] : [`--max-cost ${maxCostUsd}`]),
    ...(maxRuntimeMs === undefined ? [] : [`--max-runtime ${toLimit(maxRuntimeMs, 1000)}`]),
  ].join(' ');
}

function reload(options: ResumeOptions, layout: Layout, file: RunFile): Promise<RunPlan> {
  const { configFiles, flags, hatsOverlay, assignments = [] } = file.settings;
  const overlay = hatsOverlay === undefined ? {} : { hatsOverlay };
  const stdin = file.stdinPrompt === null ? {} : { stdinPrompt: file.stdinPrompt };
  return planRun({ cwd: layout.root, configFiles, ...overlay, assignments, flags, env: options.env, goesOnIn: file.worktree, ...stdin });
}

/** The agents' folder may be gone since (a fresh clone, a cleaned tree); a worktree too. */
async function restoreWorkspace(layout: Layout, file: RunFile, { env }: ResumeOptions): Promise<void> {
  const { settings, worktree, workspace } = file;
  if (worktree !== null) {
    await createWorktree({
      cwd: layout.root,
      env,
      stateDirs: toStateDirs(settings),
      stateDir: settings.stateDir,
      name: worktree,
      links: settings.worktreeLinks,
      programs: file.gitPrograms,
      reuse: true,
    });
  }
  await packForSafety(settings, layout.root, env, file.gitPrograms);
  openAgentFolders(workspace, settings);
}
