import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Input } from '../core/run/inputs.ts';
import { writeContract } from '../emit/contract-file.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { toShownUrl } from '../fleet/nats-place.ts';
import { keepSettings, openKeptRun, takeRun } from '../fleet-runs/kept-run.ts';
import { requireSendable } from '../fleet-runs/send-tree.ts';
import { toGitFix } from '../git/git.ts';
import { captureBase } from '../git/repository.ts';
import type { Lock } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createRunFolder, createRunId, type RunPaths, removeRun } from '../journal/run-folder.ts';
import { ensureStateFolders } from '../journal/state-folders.ts';
import type { RunPlan } from '../planning/plan-run.ts';
import { loadPluginFiles } from '../plugins/plugin-files.ts';
import type { Fleet } from '../ports/fleet.ts';
import { removeTree } from '../process/remove-tree.ts';
import { listReferenceFiles, openGateReference } from '../run-gates/gate-reference.ts';
import { type Layout, openAgentFolders, requireLayout, toLayout } from '../runs/layout.ts';
import { noteProject } from '../runs/list-runs.ts';
import { findStaleOwner, listKilledRuns, refuseNested } from '../runs/living-runs.ts';
import { requireGoodToken, withoutToken, writePeople } from '../runs/people.ts';
import { reapRun } from '../runs/processes.ts';
import type { RunHandle, RunWatch, StartOptions } from '../runs/run-api.ts';
import { type RunFile, writeRunFile } from '../runs/run-file.ts';
import { lockRun, lockWorkspace, releaseLock } from '../runs/run-lock.ts';
import { toWorktreeName } from '../runs/run-workspace.ts';
import { settleKilledRun } from '../runs/settle-killed-run.ts';
import { captureTrustedPrograms, hasUnconfirmed } from '../runs/unconfirmed-programs.ts';
import { isolatesAll, toStateDirs } from '../safety/run-isolation.ts';
import { packForSafety } from '../safety/safe-runs.ts';
import { toPrivateDir } from '../turns/scope-tools.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { captureBaseline } from '../workspace/snapshot/baseline.ts';
import { createWorktree } from '../workspace/worktree/create-worktree.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { assembleRun } from './assemble-run.ts';
import { driveRun } from './drive-run.ts';
import type { AssembledRun, RunParts } from './run-parts.ts';

/**
 * Starts a run. One that is refused leaves nothing behind: no folder of a run, no worktree, no lock.
 *
 * @throws RalphError `state-folder`; `token-invalid`; `plugin-file`, `tool-invalid`, `tool-twice`; `run-in-progress`, `run-nested`, `worktree-…`; the system error
 */
export async function startRunHere(plan: RunPlan, given: StartOptions, watch: RunWatch): Promise<RunHandle> {
  requireGoodToken(given.env);
  // The token of people: whatever the run starts does not get it.
  const options = { ...given, env: withoutToken(given.env), people: given.env };
  refuseNested(options);
  await loadPluginFiles(plan.settings, options.cwd);
  const layout = requireLayout(toLayout(options.cwd, plan.settings.stateDir));
  ensureStateFolders(nodeFileSystem, [layout.stateDir]);
  const runId = options.runId ?? createRunId(Date.now(), Math.random);
  const worktree = chooseWorktree(plan, options, runId);
  /** Takes back what was made so far, the newest first. */
  const undo: (() => Promise<void> | void)[] = [];
  let ready: ReadyRun;
  let locks: readonly Lock[];
  const warnings: string[] = [];
  try {
    const dead = findStaleOwner(layout, worktree);
    const lock = await lockFolder(layout, worktree, runId);
    undo.push(() => releaseLock(lock));
    // What a dead run left working in the folder is ended first, so that two agents never work at once.
    if (dead !== null) await clearDead(layout, dead);
    for (const killed of listKilledRuns(layout)) await tryTo(async () => warnings.push(...(await settle(layout, killed, options.env))));
    const workspace = await openFolder(layout, worktree, plan, options);
    if (worktree !== null) undo.push(() => dropFolder(layout, worktree, plan, options));
    const paths = createRunFolder({ fs: nodeFileSystem, stateDir: layout.stateDir }, runId);
    undo.push(() => void removeRun({ fs: nodeFileSystem, stateDir: layout.stateDir, removeTree }, runId));
    const { settings, isolation } = plan;
    const { env, people } = options;
    // From its lock on a run counts as under way: whoever brings its token must be known by then.
    writePeople(paths, { who: settings.externalEvents, isIsolated: isolatesAll(isolation, settings.spec), env: people });
    const runLock = await lockRun({ layout, runId, worktree, command: COMMAND });
    undo.push(() => releaseLock(runLock));
    locks = [lock, runLock];
    const stdinPrompt = plan.request.stdinPrompt ?? null;
    const fleet = await openFleet(options.fleet, people, runId);
    undo.push(async () => fleet.fleet?.close());
    ready = await prepareRun({ settings, isolation, stdinPrompt, env, watch, layout, paths, workspace, worktree, ...fleet });
  } catch (error) {
    for (const step of undo.reverse()) await tryTo(step);
    throw error;
  }
  noteProject(layout, options.env);
  warnings.push(...toUselessGit(ready.parts.file.baseline?.noRepository ?? ''));
  return driveRun(ready.parts, ready.run, { folded: null, inputs: [ready.started], warnings }, locks);
}

/** A folder outside any repository is no mistake; a problem that its person can fix is said before the work is done. */
function toUselessGit(problem: string): readonly string[] {
  const fix = toGitFix(problem);
  return fix === null ? [] : [`Without git nobody will know what this run changed: ${problem}. ${fix}`];
}

const NOTHING_KEPT = { end: 0, entries: [] } as const;

/** The fleet that was named. */
async function openFleet(
  address: string | undefined,
  people: StartOptions['env'],
  runId: string,
): Promise<Pick<RunBeginning, 'fleet' | 'address'>> {
  return address === undefined ? {} : { address, fleet: await connectFleet({ url: address, env: people, name: `ralph ${runId}` }) };
}

/** The name of the worktree; `null`: the folder itself. */
function chooseWorktree({ settings }: RunPlan, { worktree }: StartOptions, runId: string): string | null {
  if (typeof worktree === 'string') return worktree;
  return worktree === true || settings.worksIn === 'worktree' ? toWorktreeName(runId, settings.spec.objective) : null;
}

/** What went wrong first is what the person is told. */
async function tryTo(step: () => unknown): Promise<void> {
  try {
    await step();
  } catch {
    return;
  }
}

const COMMAND = 'ralph run';

/** What a person should know of a run that was killed. */
async function settle(layout: Layout, runId: string, env: StartOptions['env']): Promise<readonly string[]> {
  const problem = await settleKilledRun(layout, runId, env, COMMAND);
  return problem === null ? [] : [`Run ${runId} was killed, and ${toPlainLine(problem, 300)}. See it: ralph review ${runId}`];
}

function lockFolder(layout: Layout, worktree: string | null, runId: string): Promise<Lock> {
  if (worktree !== null) mkdirSync(layout.worktreesDir, { recursive: true });
  return lockWorkspace({ layout, runId, worktree, command: COMMAND });
}

/** What a dead run left running is ended; tokens that its agents refreshed come home. */
async function clearDead(layout: Layout, runId: string): Promise<void> {
  await reapRun(runId);
  const folder = join(layout.runsDir, runId);
  if (dirname(folder) !== layout.runsDir) return;
  if (!existsSync(toPrivateDir(folder))) return;
  const { sweepPrivate } = await import('../sandbox/index.ts');
  sweepPrivate(toPrivateDir(folder));
}

async function openFolder(layout: Layout, worktree: string | null, plan: RunPlan, { env }: StartOptions): Promise<string> {
  if (worktree === null) return layout.root;
  const { worktreeLinks, stateDir } = plan.settings;
  const made = await createWorktree({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(plan.settings),
    stateDir,
    name: worktree,
    links: worktreeLinks,
    programs: await captureTrustedPrograms(layout, { cwd: layout.root, env }),
    reuse: false,
  });
  return made.cwd;
}

/** Nobody has worked in it yet. */
async function dropFolder(layout: Layout, name: string, { settings }: RunPlan, { env }: StartOptions): Promise<void> {
  const { worktreeLinks: links, stateDir } = settings;
  const programs = await captureTrustedPrograms(layout, { cwd: layout.root, env });
  await removeWorktree({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(settings),
    stateDir,
    name,
    links,
    programs,
    baseline: null,
    force: true,
  });
}

/** A run whose folder, workspace and lock are there. */
export interface RunBeginning extends Pick<RunFile, 'settings' | 'stdinPrompt' | 'workspace' | 'worktree' | 'resolves'> {
  readonly fleet?: Fleet;
  /** Of the fleet. */
  readonly address?: string;
  readonly isolation: RunPlan['isolation'];
  /** Without the token of people. */
  readonly env: StartOptions['env'];
  readonly watch: RunWatch;
  readonly layout: Layout;
  readonly paths: RunPaths;
}

/** A run of which everything is there, and the input that begins it. */
export interface ReadyRun {
  readonly parts: RunParts;
  readonly run: AssembledRun;
  readonly started: Input;
}

/** Writes down what a run begins with, and puts it together. */
export async function prepareRun(beginning: RunBeginning): Promise<ReadyRun> {
  const { settings, stdinPrompt, resolves, fleet, address, isolation, env, watch, layout, paths, workspace, worktree } = beginning;
  openAgentFolders(workspace, settings);
  const place = { cwd: workspace, env, stateDirs: toStateDirs(settings) };
  const trusted = captureTrustedPrograms(layout, place);
  const programs = hasUnconfirmed(layout) ? await trusted : undefined;
  const [baseline, gitPrograms, head, origin] = await Promise.all([
    worktree !== null || settings.spec.limits.checkpointInterval > 0 ? captureBaseline({ ...place, programs }) : null,
    trusted,
    captureBase(place),
    worktree === null ? null : captureBase({ ...place, cwd: layout.root }),
  ]);
  await packForSafety(settings, layout.root, env, gitPrograms);
  const base = { commit: head.commit, branch: (origin ?? head).branch };
  const file: RunFile = {
    version: 1,
    ralphVersion: RALPH_VERSION,
    workspace,
    worktree,
    ...(resolves === undefined ? {} : { resolves }),
    ...(address === undefined ? {} : { fleet: toShownUrl(address) }),
    stdinPrompt,
    base,
    settings,
    baseline,
    gitPrograms,
  };
  if (fleet !== undefined) await requireSendable({ file, env });
  writeRunFile(paths.settings, file);
  writeContract(paths.folder, { spec: settings.spec, workspace });
  const reference = await openGateReference({ paths, file, env }, false);
  const kept = fleet === undefined ? undefined : openKeptRun(fleet, (await takeRun(fleet, { paths, file, env })).keeper, NOTHING_KEPT);
  if (kept !== undefined) await keepSettings(kept, paths, listReferenceFiles(paths));
  const parts: RunParts = { layout, paths, file, env, watch, reference, isolation, ...(kept === undefined ? {} : { kept }) };
  const run = assembleRun(parts, () => undefined);
  const started = {
    type: 'run-started' as const,
    at: run.ports.clock.now(),
    runId: paths.runId,
    spec: settings.spec,
    flags: [],
    inboxOffset: run.ports.inbox.end(),
  };
  return { parts, run, started };
}
