import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { FLEET_UNASKED, TAKEN_ELSEWHERE } from '../core/run/end-reasons.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { toBeatMs } from '../fleet/keep-run.ts';
import { toShownUrl } from '../fleet/nats-place.ts';
import { findRun } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { type Fleet, type KeptLease, WORKER_SILENT_MS } from '../ports/fleet.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { readFold } from '../runs/emit-event.ts';
import { findLayout } from '../runs/find-layout.ts';
import type { Layout } from '../runs/layout.ts';
import { findLivingRun } from '../runs/living-runs.ts';
import { isOpenToFleet } from '../runs/people.ts';
import { isCopy, readRunFile } from '../runs/run-file.ts';
import { findHolder } from '../runs/run-lock.ts';
import type { RunElsewhere } from '../views/report/elsewhere-report.ts';
import { findPlaceId } from './kept-run.ts';

/** A run of a folder that is elsewhere, or may be. */
export interface AwayRun extends RunElsewhere {
  readonly runId: string;
  /** The address of the fleet that answered, with the login where the environment says it; of the run's own where none did. */
  readonly url: string;
  /** Nobody has it: its process here was the last one that had it. */
  readonly isLeft: boolean;
}

/** A fleet that does not answer is not waited for longer. */
const ASK_MS = 5000;
/** Who has a run may be so late to say so. */
const LATE_MS = 1500;
const LOOK_MS = 200;

/**
 * Whether a run of this folder goes on elsewhere, or ended there and was not brought home: asks the fleet that keeps it. The address is that of `RALPH_FLEET`; where that knows nothing of the run, or does
 * not answer, the one with which it was begun. Both are asked at once.
 *
 * @param run an id, the beginning or end of one; absent: the newest
 * @param signal after its abort nothing is waited for
 * @returns `null` where it is here: its process is, it has completed, it is on no fleet, its fleet does not know it any more, or nobody had it elsewhere since and nobody else
 *   may take it. Never rejects.
 */
export async function findElsewhere(cwd: string, run: string | undefined, env: Environment, signal?: AbortSignal): Promise<AwayRun | null> {
  const away = await findOn(findHere(cwd, run), env, signal);
  return away?.isLeft === true && away.state !== 'left' ? null : away;
}

/** As {@link findElsewhere}; also a run that nobody has since its process here had it, where its fleet may keep what people say to it. */
export async function findAway(cwd: string, run: string | undefined, env: Environment): Promise<AwayRun | null> {
  const here = findHere(cwd, run);
  const away = await findOn(here, env);
  // One that lets in nobody over the fleet hears here what is said here.
  return away?.isLeft === true && here?.isOpen !== true ? null : away;
}

async function findOn(here: HereRun | null, env: Environment, signal?: AbortSignal): Promise<AwayRun | null> {
  if (here === null) return null;
  const { RALPH_FLEET: said = '' } = env;
  return toAway(here, await lookAt(toUrls(said, here.fleet), here, env, signal), said);
}

/** What a fleet said of a run, as far as it says that it is not here. */
function toAway({ paths, fleet: own, isMaybeAway, place: here }: HereRun, { url, kept }: FleetAnswer, said: string): AwayRun | null {
  const option = url === said ? '--fleet' : `--fleet ${toShellWord(own)}`;
  const away = { runId: paths.runId, url, fleet: toShownUrl(url), option, isLeft: false };
  if (kept === 'unasked')
    return isMaybeAway ? { ...away, state: 'unasked', host: '', worker: null, lostAfterMs: 0, hasWorkers: true } : null;
  if (kept === null) return null;
  const { isLost, hasWorkers } = kept;
  const { place, state, host, worker = null, lostAfterMs } = kept.lease;
  const isLeft = place === here;
  if (isLeft && state === 'ended') return null;
  const gone = isLeft ? 'left' : 'lost';
  return { ...away, state: state === 'held' && (isLeft || isLost) ? gone : state, host, worker, lostAfterMs, hasWorkers, isLeft };
}

/** Runs of lists are not waited for longer. */
const ASK_ALL_MS = 2000;
/** What a fleet keeps of a run is forgotten so long after it was written to last. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/**
 * The runs of folders that are elsewhere, or may be, see {@link findElsewhere}; all fleets are asked at the same time. A run that left here over 30 days ago is not asked about, and one that nobody else had is left out. Never rejects, and takes two seconds at most, or some
 * seconds more if the worker of a run is not there any more.
 *
 * @param runs by their id, with a folder from which they are found, and what was read of their journals, which are read here otherwise
 */
export async function findAllElsewhere(
  runs: readonly { readonly runId: string; readonly cwd: string; readonly read?: JournalEnd }[],
  env: Environment,
): Promise<ReadonlyMap<string, AwayRun>> {
  const { RALPH_FLEET: said = '' } = env;
  const here: HereRun[] = [];
  const isKept = (lastAt: number): boolean => Date.now() - lastAt < KEPT_MS;
  for (const { runId, cwd, read } of runs) {
    if (read !== undefined && !isKept(read.at)) continue;
    const run = findHere(cwd, runId, read);
    if (run !== null && isKept(run.lastAt)) here.push(run);
    // The page has other things to do meanwhile.
    await breathe();
  }
  const fleets = openLooks(env, ASK_ALL_MS);
  const found = await Promise.all(
    here.map((run): Promise<AwayRun | null> => {
      // One of which nothing can be said does not cost the others their place in the list.
      return chooseAnswer(toUrls(said, run.fleet).map((url) => fleets.ask(url, run, false))).then(
        (answer) => toAway(run, answer, said),
        () => null,
      );
    }),
  );
  await fleets.close();
  return new Map(found.flatMap((away) => (away === null || away.isLeft ? [] : [[away.runId, away] as const])));
}

interface AskedFleet {
  readonly url: string;
  readonly kept: Promise<FleetAnswer['kept']>;
}

/** Fleets that are asked about runs, each over one connection. After so long nothing is waited for, and what is not open by then is given up: it would keep the process alive. */
function openLooks(env: Environment, patienceMs: number) {
  const late = pause(patienceMs, 'unasked' as const, { ref: false });
  const over = new AbortController();
  const opened = new Map<string, Promise<AskableFleet | null>>();
  const open = (url: string): Promise<AskableFleet | null> => {
    const fleet = opened.get(url) ?? connectFleet({ url, env, name: 'ralph', signal: over.signal }, true).then(toAskable, () => null);
    opened.set(url, fleet);
    return fleet;
  };
  return {
    /** @param isSure whether a process that is no worker's is waited for until it says that it lives, too */
    ask: (url: string, run: HereRun, isSure: boolean): AskedFleet => ({ url, kept: lookWith(open(url), run, late, isSure, over.signal) }),
    /** Never rejects. What was said is known; how it is taken leave of changes nothing. */
    close: async (): Promise<void> => {
      over.abort();
      const closing = [...opened.values()].map((fleet) => fleet.then((it) => it?.close()).catch(() => undefined));
      await Promise.race([Promise.all(closing), late]);
    },
  };
}

interface AskableFleet extends Pick<Fleet, 'leases' | 'close'> {
  /** The ids of the workers that say that they live, asked once; `null`: nobody knows. */
  readonly listWorkers: () => Promise<readonly string[] | null>;
}

function toAskable(fleet: Fleet): AskableFleet {
  let listed: Promise<readonly string[] | null> | undefined;
  const list = async (): Promise<readonly string[] | null> => {
    const all = await Promise.race([fleet.workers.list().catch(() => null), pause(ASK_ALL_MS, null, { ref: false })]);
    return all?.filter(({ silentMs }) => silentMs < WORKER_SILENT_MS).map(({ id }) => id) ?? null;
  };
  return { leases: fleet.leases, close: () => fleet.close(), listWorkers: () => (listed ??= list()) };
}

async function lookWith(
  opened: Promise<AskableFleet | null>,
  { paths: { runId }, place }: HereRun,
  late: Promise<'unasked'>,
  isSure: boolean,
  over: AbortSignal,
): Promise<FleetAnswer['kept']> {
  const ask = async (): Promise<{ readonly fleet: AskableFleet; readonly kept: KeptLease | null } | 'unasked'> => {
    const fleet = await opened;
    return fleet === null ? 'unasked' : { fleet, kept: await fleet.leases.look(runId) };
  };
  try {
    const answer = await Promise.race([ask(), late]);
    if (answer === 'unasked' || answer.kept === null) return answer === 'unasked' ? answer : null;
    const { fleet, kept } = answer;
    return kept.lease.state === 'held' ? await judge(fleet, kept, { place, isSure, over }) : { ...kept, isLost: false, hasWorkers: true };
  } catch {
    return 'unasked';
  }
}

/** Whether a run that somebody had last is had by anybody: its worker is there, or a process says so. A process may outlive its worker. */
async function judge(
  fleet: AskableFleet,
  kept: KeptLease,
  { place: here, isSure, over }: { readonly place: string | null; readonly isSure: boolean; readonly over: AbortSignal },
): Promise<SeenLease | null> {
  const { run, place, worker, lostAfterMs } = kept.lease;
  const there = await fleet.listWorkers();
  const hasWorkers = there === null || there.length > 0;
  const needsNoBeat = place === here || (worker === undefined ? !isSure : there === null || there.includes(worker));
  if (needsNoBeat) return { ...kept, isLost: false, hasWorkers };
  const patienceMs = toBeatMs(lostAfterMs) + LATE_MS;
  const late = pause(patienceMs, kept, { ref: false });
  for (const until = steadyMs() + patienceMs; steadyMs() < until; ) {
    await pause(LOOK_MS, undefined, { signal: over });
    const now = await Promise.race([fleet.leases.look(run).catch(() => kept), late]);
    if (now === null) return null;
    if (now.beat !== kept.beat) return { ...now, isLost: false, hasWorkers };
  }
  return { ...kept, isLost: true, hasWorkers };
}

/** The run's own fleet comes last. */
function toUrls(said: string, own: string): readonly [string, ...string[]] {
  if (said === '') return [own];
  // The same one, and perhaps who asks: without that it would let nobody in.
  return toShownUrl(said) === own ? [said] : [said, own];
}

/** What a fleet says of a run; `null`: it does not know it. */
interface FleetAnswer {
  readonly url: string;
  readonly kept: SeenLease | 'unasked' | null;
}

interface SeenLease extends KeptLease {
  /** Whoever had it says nothing any more. */
  readonly isLost: boolean;
  /** Whether there is a worker at all; true where nobody knows. */
  readonly hasWorkers: boolean;
}

/** Asks all at once. */
async function lookAt(
  urls: readonly [string, ...string[]],
  here: HereRun,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<FleetAnswer> {
  const fleets = openLooks(env, ASK_MS);
  const close = (): void => void fleets.close();
  signal?.addEventListener('abort', close);
  if (signal?.aborted === true) close();
  const answer = await chooseAnswer(urls.map((url) => fleets.ask(url, here, true)));
  signal?.removeEventListener('abort', close);
  await fleets.close();
  return answer;
}

/** The first one that knows the run answers; where none does, the last one. */
async function chooseAnswer(looks: readonly AskedFleet[]): Promise<FleetAnswer> {
  let answer: FleetAnswer = { url: looks[0]?.url ?? '', kept: 'unasked' };
  for (const { url, kept } of looks) {
    answer = { url, kept: await kept };
    if (answer.kept !== null && answer.kept !== 'unasked') break;
  }
  return answer;
}

/** A run of a folder that a fleet keeps, with all that is read of it: its folder may be gone when the fleet answers. */
interface HereRun {
  readonly paths: RunPaths;
  /** The address with which it was begun. */
  readonly fleet: string;
  /** As `readPlace`; `null` where it has no name yet, and none is given to it here. */
  readonly place: string | null;
  /** Of one that its own process let go of, nothing says that somebody else has taken it. */
  readonly isMaybeAway: boolean;
  readonly isOpen: boolean;
  /** Of its last entry here. */
  readonly lastAt: number;
}

/** What the journal of a run says at its end. */
export interface JournalEnd {
  readonly end: { readonly reason: string; readonly detail: string } | null;
  /** When its last entry was written. */
  readonly at: number;
}

function findHere(cwd: string, run: string | undefined, read?: JournalEnd): HereRun | null {
  try {
    const layout: Layout = findLayout(cwd);
    if (run === undefined && findLivingRun(layout, cwd) !== null) return null;
    const runId = findRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, run ?? 'last');
    const paths = toRunPaths(layout.stateDir, runId);
    if (findHolder(layout, runId) !== null || isCopy(paths)) return null;
    const { fleet } = readRunFile(paths.settings);
    if (fleet === undefined) return null;
    const { end, at: lastAt } = read ?? readFold(paths).state;
    if (end?.reason === 'completed') return null;
    const isMaybeAway = end === null || end.detail.startsWith(TAKEN_ELSEWHERE) || end.detail.startsWith(FLEET_UNASKED);
    return { paths, fleet, place: findPlaceId(paths), isMaybeAway, isOpen: isOpenToFleet(paths), lastAt };
  } catch {
    // Whoever reads the run says what is wrong with it.
    return null;
  }
}
