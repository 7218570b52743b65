import { existsSync } from 'node:fs';
import { addUsage, END_REASONS, type RunRecord, type StopRequested, toSenderText, UNKNOWN_USAGE } from '../core/index.ts';
import { type Lock, toRescuePaths } from '../journal/index.ts';
import { type LoopStart, runLoop } from '../loop/shell/index.ts';
import { killAllStarted } from '../process/index.ts';
import { createProofFold } from '../views/index.ts';
import { type AssembledRun, type RunParts, toPlainEnvironment } from './assemble-run.ts';
import { closeWorktree } from './close-worktree.ts';
import { describeReach } from './describe-reach.ts';
import { emitTo } from './emit-event.ts';
import { openLiveFile } from './live-file.ts';
import { notifyPerson, type RunNews } from './notify-person.ts';
import { ownRun } from './people.ts';
import { readRecords } from './read-run.ts';
import type { RunEnd, RunHandle } from './run-api.ts';
import { writeRunFile } from './run-file.ts';
import { clearStopWish, createWishReader, type StopWish, watchWishes } from './stop-file.ts';
import { storeEnd } from './store-end.ts';

/** Where a loop begins. */
interface Beginning extends LoopStart {
  /** See `RunHandle`. */
  readonly warnings?: readonly string[];
}

/** Starts the loop of an assembled run and cleans up behind it, whatever happens. */
export function driveRun(parts: RunParts, run: AssembledRun, start: Beginning, locks: readonly Lock[]): RunHandle {
  const { paths, file } = parts;
  const tell = createTeller(parts);
  const live = openLiveFile(paths.folder, run.ports.clock);
  const proof = createProofFold(file.settings.spec.gates);
  const watchParks = createParkWatch(start, (news) => void tell(news));
  const observe: typeof run.ports.observe = (record) => {
    watchParks(record);
    proof.take(record);
    live.observe(record);
    run.ports.observe(record);
  };
  const toStop = (how: StopRequested['how'], by: string): StopRequested => ({ type: 'stop-requested', at: run.ports.clock.now(), how, by });
  const takeStop = createStopTaker(paths.folder, run.admitStop, toStop);
  const loop = runLoop({ ...run.ports, observe, takeStop }, run.settings, start);
  const stop = (how: StopRequested['how'], by: string): void => loop.post(toStop(how, by));
  const unwatch = watchWishes(paths.folder, () => {
    const wish = takeStop();
    if (wish !== null) loop.post(wish);
  });
  // A defect or a failed assertion must not leave agents behind that nobody watches.
  process.once('exit', killAllStarted);
  const disown = ownRun(paths);
  const outcome = loop.outcome.then(async ({ reason, detail, state }): Promise<RunEnd> => {
    unwatch();
    disown();
    live.close();
    await run.workspace.settle();
    const worktree = await closeWorktree(parts, run.workspace);
    await parts.ground.close();
    run.ports.journal.close();
    // Beside the rescued journal, so that the run can go on from there.
    const rescue = toRescuePaths(parts.layout.stateDir, paths.runId);
    if (existsSync(rescue.folder)) writeRunFile(rescue.settings, file);
    clearStopWish(paths.folder);
    await storeEnd(parts);
    for (const lock of locks) release(lock);
    process.removeListener('exit', killAllStarted);
    return { reason, detail, exitCode: END_REASONS[reason].exitCode, proof: proof.proof(), state, worktree };
  });
  const notify = ({ reason, detail, exitCode, proof, state }: RunEnd, abort?: AbortSignal): Promise<string | null> =>
    tell(
      { event: 'ended', end: { reason, exitCode, proof }, detail, attention: state.end?.attention, costUsd: state.usage.costUsd },
      abort,
    );
  return {
    runId: paths.runId,
    runFolder: paths.folder,
    workspace: file.workspace,
    reach: describeReach(file.settings),
    warnings: start.warnings ?? [],
    records: () => readRecords(paths, start.folded?.entries ?? 0),
    emit: (words) => emitTo(parts.layout, paths, words, parts.env),
    stop,
    outcome,
    notify,
  };
}

/** Tells the run's person, by the command that they named. */
function createTeller({ paths, file, env }: RunParts): (news: RunNews, abort?: AbortSignal) => Promise<string | null> {
  const { workspace: cwd, settings } = file;
  return (news, abort) => notifyPerson({ runId: paths.runId, cwd, settings, news, env: toPlainEnvironment(env), ...(abort && { abort }) });
}

/** Takes a wish to stop that was left in the run's folder by somebody whom the run admits; `null` where there is nothing new. */
function createStopTaker(
  folder: string,
  admit: AssembledRun['admitStop'],
  toStop: (how: StopRequested['how'], by: string) => StopRequested,
): () => StopRequested | null {
  const readWish = createWishReader(folder);
  let followed: StopWish | null = null;
  return () => {
    const left = readWish();
    // One that was refused does not count: a person may say the same after it.
    if (left === null || !admit(left.sender) || left.sender === null || left.wish === followed) return null;
    followed = left.wish;
    return toStop(left.wish === 'now' ? 'interrupt' : 'after-iteration', `ralph stop (${toSenderText(left.sender)})`);
  };
}

/** A run that waits for hours is worth a word to its person, as its end is. */
function createParkWatch({ folded }: LoopStart, tell: (news: RunNews) => void): (record: RunRecord) => void {
  let usage = folded?.state.usage ?? UNKNOWN_USAGE;
  let isParking = false;
  return (record) => {
    if (record.kind === 'input' && record.input.type === 'iteration-ended') usage = addUsage(usage, record.input.usage);
    if (record.kind !== 'effect') return;
    const { effect } = record;
    if (effect.type === 'timer-set') isParking = effect.purpose === 'limit';
    if (effect.type !== 'notice' || !isParking) return;
    isParking = false;
    tell({ event: 'parked', detail: effect.text, costUsd: usage.costUsd });
  };
}

/** A lock that cannot be removed will be found stale: its owner is gone then. */
export function release(lock: Lock): void {
  try {
    lock.release();
  } catch {
    return;
  }
}
