import { existsSync } from 'node:fs';
import type { Settings } from '../config/index.ts';
import {
  addUsage,
  END_REASONS,
  type EndReason,
  RALPH,
  type RunRecord,
  type StopRequested,
  toSenderText,
  toUsdText,
  UNKNOWN_USAGE,
} from '../core/index.ts';
import { type Lock, toRescuePaths } from '../journal/index.ts';
import { type LoopStart, runLoop } from '../loop/shell/index.ts';
import { killAllStarted, runShellLine } from '../process/index.ts';
import {
  clearStopWish,
  closeWorktree,
  createWishReader,
  emitTo,
  openLiveFile,
  ownRun,
  type RunEnd,
  type RunHandle,
  readRecords,
  releaseLock,
  type StopWish,
  storeEnd,
  watchWishes,
  writeRunFile,
} from '../runs/index.ts';
import type { Environment } from '../safety/index.ts';
import { createProofFold, type RunProof } from '../views/index.ts';
import type { AssembledRun, RunParts } from './assemble-run.ts';

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
    for (const lock of locks) releaseLock(lock);
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

const TIMEOUT_MS = 30_000;
/** The system takes some 128 KB in one variable; nobody reads as much in a notification. */
const MAX_CHARACTERS = 4000;

/** What a person is told of a run: that it has ended, or that it waits. */
export interface RunNews {
  readonly event: 'ended' | 'parked';
  /** Absent while it has not ended. */
  readonly end?: { readonly reason: EndReason; readonly exitCode: number; readonly proof: RunProof | null };
  readonly detail: string;
  /** What only a person can do; absent where nothing is asked of anybody. */
  readonly attention?: string | undefined;
  /** `null`: nobody knows. */
  readonly costUsd: number | null;
}

/** Of what news the person's `notify:` command is told. */
interface Notification {
  readonly runId: string;
  /** Absolute path of the run's workspace. */
  readonly cwd: string;
  readonly settings: Pick<Settings, 'notify' | 'spec'>;
  readonly news: RunNews;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the command. */
  readonly abort?: AbortSignal;
}

/**
 * Runs the `notify:` command, the user's own shell line; the facts are in its environment (`RALPH_EVENT`, `RALPH_END_REASON`, `RALPH_END_DETAIL`, …), never
 * in its text.
 *
 * @returns what went wrong, in words, or `null`
 */
export async function notifyPerson(notification: Notification): Promise<string | null> {
  const { cwd, settings, env, abort } = notification;
  if (settings.notify === null) return null;
  const result = await runShellLine(settings.notify, {
    cwd,
    env: { ...env, ...toVariables(toFacts(notification)) },
    timeoutMs: TIMEOUT_MS,
    stopGraceMs: 1000,
    ...(abort && { abort }),
  });
  if (result.status === 'exited' && result.exitCode === 0) return null;
  return `The notify command failed (${result.status === 'exited' ? `exit ${result.exitCode}` : (result.stopReason ?? result.status)}).`;
}

/** No variable can hold a zero byte. */
function toVariables(facts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value.slice(0, MAX_CHARACTERS).replaceAll('\0', ' ')]));
}

function toFacts({ runId, cwd, settings, news }: Notification): Readonly<Record<string, string>> {
  return {
    RALPH_RUN: runId,
    RALPH_EVENT: news.event,
    RALPH_END_REASON: news.end?.reason ?? '',
    RALPH_END_DETAIL: news.detail,
    RALPH_PROVEN: toProvenText(news.end?.proof ?? null),
    RALPH_EXIT_CODE: news.end === undefined ? '' : String(news.end.exitCode),
    RALPH_ATTENTION: news.attention ?? '',
    RALPH_COST_USD: news.costUsd === null ? '' : news.costUsd.toFixed(4),
    RALPH_TASK: settings.spec.objective.trim().split('\n', 1)[0]?.slice(0, 200) ?? '',
    RALPH_FOLDER: cwd,
  };
}

/** Empty for what is no completion. */
function toProvenText(proof: RunProof | null): string {
  if (proof === null) return '';
  return proof.isProven ? 'yes' : 'no';
}

/** What the agents of a run can reach, in one sentence for its person; empty where nothing is started that could reach anything. */
function describeReach({ isSafe, backends, sandbox, spec }: Settings): string {
  const agents = Object.entries(backends).flatMap(([id, specs]) => (specs.some(({ type }) => type !== 'scripted') ? [id] : []));
  if (agents.length === 0) return '';
  const network = sandbox.hasNetwork ? 'the network' : 'no network';
  if (isSafe === true) {
    const { maxCostUsd } = spec.limits;
    const cost = maxCostUsd === null ? 'no limit of cost (--max-cost sets one)' : `at most ${toUsdText(maxCostUsd)}`;
    return `safe: agents and gates write in their worktree only, see nothing of your home but what their CLI signs in with, and reach ${network}; ${cost}`;
  }
  const free = agents.filter((id) => sandbox.hats[id] !== 'required');
  const team = free.filter((id) => id !== RALPH);
  const who =
    free.length === agents.length || team.length === 0 ? 'agents' : `${team.slice(0, 3).join(', ')}${team.length > 3 ? ' and others' : ''}`;
  return `${who} can read and change whatever you can, keys in your home and the network included; --safe holds them`;
}

/** The person's environment, not an agent's: for the notify command. */
function toPlainEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
