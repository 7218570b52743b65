import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { toTurnName } from '../core/run/turn.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import { RalphError } from '../core/values/errors.ts';
import { parseJson, toJsonObject } from '../core/values/json.ts';
import { toContractPath, writeContract } from '../emit/contract-file.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { toShownUrl } from '../fleet/nats-place.ts';
import { createAwayWatch } from '../fleet-runs/away-watch.ts';
import { catchUp } from '../fleet-runs/fetch-run.ts';
import { leaveKept, NOTHING_LEFT } from '../fleet-runs/hear-fleet.ts';
import {
  type KeptRun,
  keepSettings,
  openKeptRun,
  readKeptState,
  STANDS_IN,
  type TakenRun,
  takeRun,
  toEndedLease,
  toLeft,
} from '../fleet-runs/kept-run.ts';
import { findRun, requireBegun } from '../journal/find-run.ts';
import type { Lock } from '../journal/lock.ts';
import { readNewLines } from '../journal/new-lines.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import { recoverRun } from '../loop/shell/recover-run.ts';
import { findFinalEnd, planResume, type ResumeOrder, type ResumePlan, toRaisedLimits } from '../planning/plan-resume.ts';
import { loadPluginFiles } from '../plugins/plugin-files.ts';
import type { Fleet } from '../ports/fleet.ts';
import { listReferenceFiles, openGateReference } from '../run-gates/gate-reference.ts';
import { readFold, toOutsideFile } from '../runs/emit-event.ts';
import { findLayout } from '../runs/find-layout.ts';
import { type Layout, openAgentFolders } from '../runs/layout.ts';
import { wasKilled } from '../runs/living-runs.ts';
import { openHomecoming, readMove } from '../runs/moved-run.ts';
import { requireGoodToken, toPeopleFile, withoutToken, writePeople } from '../runs/people.ts';
import { reapRun } from '../runs/processes.ts';
import { storeEnd } from '../runs/review-run.ts';
import type { Resumed, ResumeOptions, RunWatch } from '../runs/run-api.ts';
import { type RunFile, readRunFile, requireOwnWork, writeRunFile } from '../runs/run-file.ts';
import { findHolder, lockRun, lockWorkspace, releaseLock } from '../runs/run-lock.ts';
import { clearPlacesApart, closeWorktree, openRunWorkspace } from '../runs/run-workspace.ts';
import { steerFromFleet } from '../runs/steer-run.ts';
import { clearStopWish } from '../runs/stop-run.ts';
import { noteProgramsOfDead } from '../runs/unconfirmed-programs.ts';
import { isolatesAll, toStateDirs } from '../safety/run-isolation.ts';
import { packForSafety } from '../safety/safe-runs.ts';
import { toList, toPlainLine } from '../views/text/plain-text.ts';
import { sweepDrafts } from '../workspace/bundle/drafts.ts';
import { createWorktree } from '../workspace/worktree/create-worktree.ts';
import { assembleRun } from './assemble-run.ts';
import { driveRun } from './drive-run.ts';
import type { RunParts } from './run-parts.ts';

/**
 * Goes on with a run: after Ctrl+C, a kill, a crash of the machine, a limit, a failure. A resume that is refused leaves the run as it was.
 *
 * @throws RalphError `token-invalid`; `plugin-file`, `tool-invalid`, `tool-twice`; `no-runs`, `run-unknown`, `run-not-begun`, `journal-lost`, `run-in-progress`, `resume-changed`; the system error
 */
export async function resumeRunHere(given: ResumeOptions, watch: RunWatch): Promise<Resumed> {
  requireGoodToken(given.env);
  const options = { ...given, env: withoutToken(given.env), people: given.env };
  const layout = findLayout(options.cwd);
  const runId = findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, options.run ?? 'last');
  const paths = toRunPaths(layout.stateDir, runId);
  requireBegun({ fs: nodeFileSystem, stateDir: layout.stateDir }, runId, findHolder(layout, runId) !== null);
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
    sweepDrafts(paths.folder, file.workspace);
    return await goOn({ options, watch, layout, paths, file, locks });
  } catch (error) {
    for (const lock of locks) releaseLock(lock);
    throw error;
  }
}

interface Resumption extends ResumeOrder {
  readonly options: ResumeOptions & { readonly people: ResumeOptions['env'] };
  readonly watch: RunWatch;
  readonly locks: readonly Lock[];
}

async function goOn(resumption: Resumption): Promise<Resumed> {
  const taken = await takeInFleet(resumption);
  let isHere = false;
  try {
    const { kept, brought } = taken === null ? NOT_KEPT : await catchUpWith(resumption, taken);
    isHere = true;
    resumption.options.onBrought?.(brought !== null, brought ?? []);
    return await goOnWith(resumption, kept);
  } catch (error) {
    await taken?.keeper.close(toLeft(taken, resumption.options.env, resumption.file.settings.spec.objective.slice(0, 80), isHere));
    await taken?.fleet.close();
    throw error;
  }
}

const NOT_KEPT = { kept: null, brought: null } as const;

interface TakenInFleet extends TakenRun {
  readonly fleet: Fleet;
}

/** Takes the run in the fleet that keeps it. One that is complete is asked for nowhere. */
async function takeInFleet({ paths, file, options }: Resumption): Promise<TakenInFleet | null> {
  if (file.fleet === undefined || readFold(paths).state.end?.reason === 'completed') return null;
  // Who asks is in no file: a variable says it where the address of the fleet does not.
  const url = options.fleet ?? (options.people['RALPH_FLEET'] || file.fleet);
  const fleet = await connectFleet({ url, env: options.people, name: `ralph ${paths.runId}` });
  try {
    // The same fleet may have several addresses; one that does not know the run is another.
    if (toShownUrl(url) !== file.fleet && (await fleet.leases.look(paths.runId)) === null) throw toOtherFleet(paths.runId, url, file.fleet);
    return { fleet, ...(await takeRun(fleet, { paths, file, env: options.env })) };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

function toOtherFleet(runId: string, url: string, own: string): RalphError {
  return new RalphError({
    code: 'fleet-run-unknown',
    what: `The fleet at ${toPlainLine(toShownUrl(url), 200)} does not keep run ${runId}, which was begun on ${toPlainLine(own, 200)}.`,
    why: 'Its own fleet would not know: another machine may continue it there, and the work would be done twice.',
    fix: `Name its own fleet, with its login if it has one: ralph resume ${runId} --fleet ${toShellWord(own)}`,
    exitCode: 2,
  });
}

/** Brings here what became of it elsewhere. */
async function catchUpWith(
  { paths, file, options }: Resumption,
  { fleet, keeper }: TakenInFleet,
): Promise<{ readonly kept: KeptRun; readonly brought: readonly string[] | null }> {
  const state = await readKeptState(fleet, paths.runId);
  const order = { fleet, paths, file, env: options.env, confirm: keeper.confirm };
  const brought = await catchUp(order, state, readFold(paths).entries);
  const kept = openKeptRun(fleet, keeper, state);
  // What is here is known from here on, whatever becomes of this process.
  if (brought !== null && state.tree !== null) keeper.add({ kind: 'tree', tree: state.tree });
  return { kept, brought };
}

async function goOnWith(resumption: Resumption, kept: KeptRun | null): Promise<Resumed> {
  const { options, layout, paths, locks } = resumption;
  const ended = findFinalEnd(readFold(paths).state, options);
  if (ended !== null) {
    if (openHomecoming(paths).isUnfinished()) await closeBrought(resumption);
    for (const lock of locks) releaseLock(lock);
    await kept?.keeper.close(toEndedLease(ended.reason, resumption.file, options.env));
    await kept?.fleet.close();
    return { kind: 'ended', runId: paths.runId, ...ended, text: ended.text + (ended.reason === 'completed' ? toUntaken(paths) : '') };
  }
  const changes = await planResume(resumption);
  const { next } = changes;
  await loadPluginFiles(next.settings, layout.root);
  await reapRun(paths.runId);
  await clearPlacesApart(layout, { runId: paths.runId, file: next, env: options.env }).catch(() => undefined);
  await restoreWorkspace(layout, next, options);
  const putBack = keepFiles([paths.settings, toPeopleFile(paths), toContractPath(paths.folder), ...listReferenceFiles(paths)]);
  try {
    return await drive(resumption, changes, kept);
  } catch (error) {
    putBack();
    throw error;
  }
}

/** Events that `ralph emit` published here and that nobody has taken, for the line after the one that says how the run ended. */
function toUntaken(paths: RunPaths): string {
  const { state, entries } = readFold(paths);
  const { outsideOffset } = readMove(paths, entries) ?? state;
  const { lines } = readNewLines({ fs: createSharedFileSystem(paths.folder), path: toOutsideFile(paths) }, outsideOffset);
  const topics = lines.map(({ text }) => toJsonObject(parseJson(text))['topic']).filter((topic) => typeof topic === 'string');
  const what = topics.length === 1 ? 'an event that was published here' : `${topics.length} events that were published here`;
  return topics.length === 0
    ? ''
    : `\nNobody took ${what}, because the run had already completed: ${toList(
        topics.map((topic) => toPlainLine(topic, 60)),
        6,
      )}.`;
}

/** A run that had ended elsewhere ends here as it would have: what it left in a worktree is committed, and its report is kept. */
async function closeBrought({ layout, paths, file, options: { env } }: Resumption): Promise<void> {
  await closeWorktree({ layout, paths, file }, openRunWorkspace({ paths, file, env }));
  await storeEnd({ layout, paths, env });
  openHomecoming(paths).finish();
}

async function drive({ options, watch, layout, paths, locks }: Resumption, changes: ResumePlan, kept: KeptRun | null): Promise<Resumed> {
  const { next, isChanged, isolation, warnings } = changes;
  writeRunFile(paths.settings, next);
  writePeople(paths, {
    who: next.settings.externalEvents,
    isIsolated: isolatesAll(isolation, next.settings.spec),
    env: options.people,
  });
  writeContract(paths.folder, { spec: next.settings.spec, workspace: next.workspace });
  // From here on it is a run of this folder again, and is ended as such.
  openHomecoming(paths).finish();
  const fold = createJournalFold();
  const reference = await openGateReference({ paths, file: next, env: options.env }, true);
  if (kept !== null) await keepSettings(kept, paths, listReferenceFiles(paths));
  const isStandIn = options.env[STANDS_IN] !== undefined;
  const left = kept === null ? NOTHING_LEFT : await leaveKept(kept, paths, steerFromFleet(layout, paths, 0), isStandIn);
  const parts: RunParts = {
    layout,
    paths,
    file: next,
    env: options.env,
    watch,
    reference,
    isolation,
    ...(kept === null ? {} : { kept }),
  };
  const away = createAwayWatch();
  const run = assembleRun(parts, (entry) => away.take(entry, fold.take(entry)));
  const folded = fold.run();
  const attached = kept === null || isChanged ? [] : away.listOpen(folded.state);
  for (const order of attached) kept?.heard.set(toTurnName(order), away.heardOf(order));
  const spec = isChanged ? { spec: next.settings.spec } : {};
  const limits = toRaisedLimits(folded.state, options);
  const inputs = await recoverRun(run.ports, folded, { ...spec, limits, attached, moved: readMove(paths, folded.entries) });
  return {
    kind: 'running',
    handle: driveRun(parts, run, { folded, inputs, attached, left }, locks),
    warnings: [...warnings, ...left.problems],
  };
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
