import { existsSync } from 'node:fs';
import { END_REASONS } from '../core/run/end-reasons.ts';
import type { Input, StopRequested } from '../core/run/inputs.ts';
import { hearFleet, type LeftWords } from '../fleet-runs/hear-fleet.ts';
import { toEndedLease } from '../fleet-runs/kept-run.ts';
import type { Lock } from '../journal/lock.ts';
import { toRescuePaths } from '../journal/run-folder.ts';
import { type LoopStart, runLoop } from '../loop/shell/run-loop.ts';
import { killAllStarted } from '../process/running-child.ts';
import { emitTo } from '../runs/emit-event.ts';
import { openLiveFile } from '../runs/live-file.ts';
import { notifyPerson } from '../runs/notify-person.ts';
import { ownRun } from '../runs/people.ts';
import { readRecords } from '../runs/read-records.ts';
import { storeEnd } from '../runs/review-run.ts';
import type { FinishedRun, RunHandle } from '../runs/run-api.ts';
import { writeRunFile } from '../runs/run-file.ts';
import { releaseLock } from '../runs/run-lock.ts';
import { closeWorktree } from '../runs/run-workspace.ts';
import { steerFromFleet, steerOwn } from '../runs/steer-run.ts';
import { clearStopWish, createStopTaker } from '../runs/stop-run.ts';
import { openTurnIndex } from '../runs/turn-index.ts';
import { watchFolder } from '../runs/watch-folder.ts';
import { createNewsWatch, type RunNews } from '../runs/watch-news.ts';
import { toDefined } from '../safety/known-secrets.ts';
import { describeReach } from '../safety/safe-runs.ts';
import { createProofFold } from '../views/fold/fold-proof.ts';
import type { AssembledRun, RunParts } from './run-parts.ts';
import { createLifeTeller, type LifeTeller } from './tell-life.ts';

/** Where a loop begins. */
interface Beginning extends LoopStart {
  /** See `RunHandle`. */
  readonly warnings?: readonly string[];
  /** What people said while nobody had it. */
  readonly left?: LeftWords;
}

/** Starts the loop of an assembled run and cleans up behind it, whatever happens. */
export function driveRun(parts: RunParts, run: AssembledRun, start: Beginning, locks: readonly Lock[]): RunHandle {
  const { paths, file } = parts;
  const tell = createTeller(parts);
  const live = openLiveFile(paths.folder, run.ports.clock);
  const index = openTurnIndex(paths.turns, run.ports.clock);
  const proof = createProofFold(file.settings.spec.gates);
  const life = createLifeTeller(parts, start.folded, run.ports.redaction, run.away?.askAway);
  const watchNews = createNewsWatch(start.folded, file.settings.spec.gates, (news) => void tell(news));
  const observe: typeof run.ports.observe = (record) => {
    watchNews(record);
    life.take(record);
    proof.take(record);
    live.observe(record);
    index.observe(record);
    run.ports.observe(record);
  };
  const toStop = (how: StopRequested['how'], by: string): StopRequested => ({ type: 'stop-requested', at: run.ports.clock.now(), how, by });
  const takeStop = createStopTaker(paths.folder, run.admitStop, toStop);
  const loop = runLoop({ ...run.ports, observe, takeStop }, run.settings, start);
  let isOver = false;
  const stop = (how: StopRequested['how'], by: string): void => {
    // What a stop can still end of a run that is over is its hooks.
    if (isOver) life.stop();
    loop.post(toStop(how, by));
  };
  const unwatch = watchFolder(paths.folder, () => {
    const wish = takeStop();
    if (wish !== null) loop.post(wish);
  });
  watchRunFleet(parts, run, observe, loop.post);
  // A defect or a failed assertion must not leave agents behind that nobody watches.
  process.once('exit', killAllStarted);
  const heard = [ownRun(paths), hearAway(parts, run.ports, start.left)];
  const outcome = loop.outcome.then(async ({ reason, detail, state }): Promise<FinishedRun> => {
    isOver = true;
    unwatch();
    for (const unhear of heard) await unhear();
    live.close();
    index.close();
    const { worktree, isTold } = await closeRun(parts, run, reason, life);
    const warnings = [...(await life.close()), ...(isTold || reason === 'storage_failed' ? [] : [toUntold(paths.runId)])];
    for (const lock of locks) releaseLock(lock);
    process.removeListener('exit', killAllStarted);
    return { reason, detail, exitCode: END_REASONS[reason].exitCode, proof: proof.proof(), state, worktree, warnings };
  });
  return {
    runId: paths.runId,
    runFolder: paths.folder,
    workspace: file.workspace,
    reach: describeReach(file.settings, file.fleet !== undefined),
    fleet: file.fleet ?? null,
    warnings: start.warnings ?? [],
    records: () => readRecords(paths, start.folded?.entries ?? 0),
    emit: (words) => emitTo(parts.layout, paths, words, parts.env),
    ...steerOwn(parts.layout, paths, parts.env),
    stop,
    outcome,
    notify: (end, abort) => tell(toNews(end), abort),
  };
}

/** Hears people on other machines, where a fleet keeps the run. The function that is returned ends it. */
function hearAway({ kept, layout, paths }: RunParts, { observe, clock }: AssembledRun['ports'], left?: LeftWords): () => Promise<void> {
  if (kept === undefined) return async () => undefined;
  const tell = (text: string): void =>
    observe({ kind: 'effect', seq: 0, at: clock.now(), effect: { type: 'notice', level: 'warning', code: 'fleet', text } });
  return hearFleet(kept, paths, steerFromFleet(layout, paths), tell, left);
}

/** Tells that the server of the fleet that keeps a run does not answer, and that it does again; and which gates and hooks workers have, or are to have. Where somebody else goes on with the run, what is under way here counts for nothing. */
function watchRunFleet(
  { kept }: RunParts,
  { away, ports: { clock } }: AssembledRun,
  observe: AssembledRun['ports']['observe'],
  post: (input: Input) => void,
): void {
  kept?.keeper.onAway((isAway, forMs, why) =>
    observe({ kind: 'fleet', isAway, since: clock.now() - forMs, ...(why !== undefined && { why }) }),
  );
  away?.onPrograms((news) => observe({ kind: 'program', ...news, since: clock.now() }));
  void kept?.keeper.lost.then((message) => post({ type: 'environment-failed', at: clock.now(), what: 'storage', message }));
}

/** Of a run that failed with its fleet the report says it. */
function toUntold(runId: string): string {
  return `The fleet could not be told that the run has ended: a worker may go on with it. See: ralph fleet runs ${runId}`;
}

/** Closes what a run had open, and writes down how it ended. `isTold`: so does the fleet that keeps it, if one does. */
async function closeRun(
  parts: RunParts,
  { workspace, ports, away }: AssembledRun,
  reason: FinishedRun['reason'],
  life: LifeTeller,
): Promise<Pick<FinishedRun, 'worktree'> & { readonly isTold: boolean }> {
  const { layout, paths, file, reference } = parts;
  await workspace.settle();
  const worktree = await closeWorktree(parts, workspace);
  await reference.close();
  ports.journal.close();
  if (life.needsFleet) await life.close();
  await away?.closePrograms();
  const { kept } = parts;
  const isTold = (await kept?.keeper.close(toEndedLease(reason, file, parts.env))) ?? true;
  await kept?.fleet.close();
  // Beside the rescued journal, so that the run can go on from there.
  const rescue = toRescuePaths(layout.stateDir, paths.runId);
  if (existsSync(rescue.folder)) writeRunFile(rescue.settings, file);
  clearStopWish(paths.folder);
  await storeEnd(parts);
  return { worktree, isTold };
}

function toNews({ reason, detail, exitCode, proof, state }: FinishedRun): RunNews {
  const { attention } = state.end ?? {};
  const end = { reason, exitCode, proof };
  return { id: `ended:${state.at}`, event: 'ended', end, detail, attention, costUsd: state.usage.costUsd };
}

/** Tells the run's person, as they said. What went wrong with news before the last is told with that: by then all of it has been sent. */
function createTeller({ paths, file, env }: RunParts): (news: RunNews, abort?: AbortSignal) => Promise<string | null> {
  const { workspace: cwd, settings } = file;
  const sent: Promise<string | null>[] = [];
  return async (news, abort) => {
    const own = notifyPerson({ runId: paths.runId, cwd, settings, news, env: toDefined(env), ...(abort && { abort }) });
    if (news.event !== 'ended') {
      sent.push(own);
      return own;
    }
    const problems = (await Promise.all([...sent, own])).filter((problem) => problem !== null);
    return problems.length === 0 ? null : [...new Set(problems)].join(' ');
  };
}
