import { setTimeout as pause } from 'node:timers/promises';
import { FLEET_REPLACED, FLEET_UNASKED, TAKEN_ELSEWHERE } from '../core/run/end-reasons.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { Fleet, KeptLease, LogPlace, RunLease } from '../ports/fleet.ts';
import { fromBody, toBody } from './messages.ts';
import { type KeptPiece, type KeptRecord, parsePiece } from './run-records.ts';
import { type AskedAnswer, type AwayHearer, createSilenceWatch, type SilenceWatch } from './silence-watch.ts';

/** Who wants a run. */
export type LeaseWish = Pick<RunLease, 'run' | 'place' | 'host' | 'worker' | 'lostAfterMs' | 'title'>;

/** How often a lease is looked at that somebody else holds. */
const LOOK_MS = 200;
/** A server that took so long to answer was away. */
export const LONG_ASK_MS = 2000;
const MAX_REFUSALS = 20;

/**
 * Takes a run for a process: where nobody has it, where whoever had it was in the same folder (and is dead, for one process at a time has a folder's run), or where it was
 * not renewed for as long as it says.
 *
 * @param steady milliseconds that count on
 * @param stale as it was seen when it had not been renewed for too long; absent: that is found out here
 * @throws RalphError `fleet-run-held` where somebody else has it and lives
 */
export async function takeLease(
  { leases }: Pick<Fleet, 'leases'>,
  wish: LeaseWish,
  steady: () => number,
  stale?: KeptLease,
): Promise<KeptLease> {
  let seen = await leases.look(wish.run);
  let since = steady();
  let refusals = 0;
  for (;;) {
    const isOpen = seen === null || seen.lease.state !== 'held' || seen.lease.place === wish.place || seen.beat === stale?.beat;
    if (isOpen || steady() - since > (seen?.lease.lostAfterMs ?? 0)) {
      const lease: RunLease = { ...wish, epoch: (seen?.lease.epoch ?? 0) + 1, state: 'held' };
      const beat = await leases.write(lease, seen?.beat ?? 0);
      if (beat !== null) return { lease, beat };
      refusals += 1;
      if (refusals > MAX_REFUSALS)
        throw new Error(`what the fleet says of who has run ${wish.run} cannot be read: it may be of a newer version`);
    } else await pause(LOOK_MS);
    const askedAt = steady();
    const now = await leases.look(wish.run);
    // While the server could not be asked, nobody could renew it.
    if (steady() - askedAt > LONG_ASK_MS) since = steady();
    if (now?.beat === seen?.beat) continue;
    if (now?.lease.state === 'held' && now.lease.place !== wish.place) throw toHeld(now.lease);
    seen = now;
    since = steady();
  }
}

function toHeld({ run, host, worker }: RunLease): RalphError {
  const who = worker === undefined ? 'in a process' : `with the worker ${worker}`;
  return new RalphError({
    code: 'fleet-run-held',
    what: `Run ${run} goes on ${who} on ${host.replaceAll(/[^\w.-]/g, '?')}.`,
    why: 'Two processes that decide about one run would give its agents the same work twice.',
    fix: `Wait until it has ended, then bring it here: ralph resume ${run}\nWho has which run: ralph fleet runs`,
  });
}

/** Keeps in the fleet what another process needs to go on with a run, for as long as the run is this process's own. */
export interface RunKeeper {
  /** From here on it is written, behind that place; until then the keeper only says that the process lives. */
  readonly begin: (behind: LogPlace) => void;
  /** Adds a record; it is written as soon as what was added before is. */
  readonly add: (record: KeptRecord) => void;
  /** Adds a record that nobody waits for: it is written with the next one. */
  readonly addLater: (record: KeptRecord) => void;
  /** Resolves when all that was added is kept. Rejects where the run is not this process's own any more, or the fleet could not be asked for too long. */
  readonly settled: () => Promise<void>;
  /** Asks the fleet whether the run is still this process's own: it may have been frozen. Rejects where it is not. */
  readonly confirm: () => Promise<void>;
  /** Hears that the server has not answered for some seconds, and for how long by then; and when it does again. */
  readonly onAway: (hear: AwayHearer) => void;
  /** False: somebody else goes on with the run, or may. */
  readonly isOwn: () => boolean;
  /** Resolves with the reason when nothing more can be kept; may stay open for ever. */
  readonly lost: Promise<string>;
  /** Lets go of the run, when the rest is kept. Never rejects. False: the fleet could not be told, so somebody else may go on with the run. */
  readonly close: (how: LeaseEnd) => Promise<boolean>;
}

/** How a run is left; `place` and who is there: as if its process had not had it. */
export type LeaseEnd = Pick<RunLease, 'state' | 'title'> & Partial<Pick<RunLease, 'place' | 'host' | 'worker'>>;

/** What a keeper begins with. */
export interface KeeperSettings {
  readonly fleet: Fleet;
  readonly taken: KeptLease;
}

/** A server that is away is waited for so long; then the run ends, and can be resumed. */
const PATIENCE_MS = 60_000;
/** So that a server that is away is noticed, however long a run may be silent. */
const LONGEST_BEAT_MS = 5000;

/** How often a process says that it has a run. */
export function toBeatMs(lostAfterMs: number): number {
  return Math.min(Math.max(lostAfterMs / 4, 100), LONGEST_BEAT_MS);
}

/** A record more does not go into a piece of so many characters. */
const PIECE_CHARS = 150_000;

/** Creates the keeper of a run that was just taken. */
export function keepRun({ fleet, taken }: KeeperSettings): RunKeeper {
  let trouble: Error | null = null;
  const { lost, tellLost } = createLoss();
  const lose = (error: Error): void => {
    trouble ??= error;
    tellLost(trouble.message);
  };
  const isOwn = (): boolean => trouble === null;
  const away = createSilenceWatch();
  const lease = createBeats(fleet, taken, lose, away.during);
  const log = createLogWriter(fleet, taken.lease, { isOwn, lose });
  const settled = async (): Promise<void> => {
    await log.written();
    if (trouble !== null) throw trouble;
  };
  return {
    begin: log.begin,
    add: log.add,
    addLater: log.addLater,
    settled,
    confirm: async () => {
      if (!(await lease.renew())) throw trouble ?? new Error(`${FLEET_UNASKED} whether this process still has the run`);
    },
    onAway: away.onAway,
    isOwn,
    lost,
    close: async (how) => {
      log.writeRest();
      await settled().catch(() => undefined);
      return lease.end(isOwn() ? how : null);
    },
  };
}

interface Ownership {
  readonly isOwn: () => boolean;
  readonly lose: (error: Error) => void;
}

/** Writes records piece by piece, each piece behind the one before it. */
function createLogWriter(fleet: Fleet, { run, epoch, place }: RunLease, { isOwn, lose }: Ownership) {
  const waiting: KeptRecord[] = [];
  /** Somebody waits for one of those that wait. */
  let isWanted = false;
  let end: LogPlace | null = null;
  let pieces = 0;
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  const writeAll = async (): Promise<void> => {
    try {
      while (isWanted && isOwn() && end !== null) {
        const behind: LogPlace = end;
        const records = takePiece(waiting);
        isWanted = waiting.length > 0;
        pieces += 1;
        const name = `${epoch}.${place}.${pieces}`;
        const written = await patiently(async () => {
          const body = await toBody(fleet.blobs, { v: 2, place, records } as unknown as Json);
          return fleet.log.append(run, { behind, name, body });
        }, isOwn);
        if (written === null) return lose(await toLoss(fleet));
        end = written;
      }
    } catch (error) {
      lose(new Error(`${FLEET_UNASKED}: ${toErrorMessage(error)}`));
    } finally {
      // At once: what is added from here on begins anew.
      isWriting = false;
    }
  };
  const write = (): void => {
    isWanted = waiting.length > 0;
    if (isWriting) return;
    isWriting = true;
    writing = writeAll();
  };
  return {
    begin: (behind: LogPlace): void => {
      end = behind;
      write();
    },
    add: (record: KeptRecord): void => {
      waiting.push(record);
      write();
    },
    addLater: (record: KeptRecord): void => void waiting.push(record),
    writeRest: write,
    written: () => writing,
  };
}

function createLoss(): { readonly lost: Promise<string>; readonly tellLost: (reason: string) => void } {
  let tellLost = (_: string): void => undefined;
  const lost = new Promise<string>((resolve) => {
    tellLost = resolve;
  });
  return { lost, tellLost };
}

const TAKEN = `${TAKEN_ELSEWHERE}: it had been given up, for it had said nothing for too long`;

const REPLACED = `${FLEET_REPLACED}: what it kept of this run is gone`;

/** Between the two questions whether it is another fleet. */
const SURE_MS = 1000;

/** Asked twice: much is given up by it. */
async function isReplaced({ check }: Pick<Fleet, 'check'>): Promise<boolean> {
  const isOther = async (): Promise<boolean> => (await check().catch(() => null)) === 'other';
  return (await isOther()) && (await pause(SURE_MS, true)) && isOther();
}

/** Why something is not there any more as this process wrote it. */
async function toLoss(fleet: Pick<Fleet, 'check'>): Promise<Error> {
  return new Error((await isReplaced(fleet)) ? REPLACED : TAKEN);
}

/** Says again and again that the process lives. */
function createBeats(
  { leases, check }: Pick<Fleet, 'leases' | 'check'>,
  taken: KeptLease,
  lose: (error: Error) => void,
  during: SilenceWatch['during'],
) {
  let beat: number | null = taken.beat;
  let telling: Promise<AskedAnswer> = Promise.resolve(true);
  const write = async (lease: RunLease): Promise<boolean> => {
    if (beat === null) return false;
    beat = (await leases.write(lease, beat)) ?? (await writeAgain(lease));
    if (beat === null) lose(await toLoss({ check }));
    return beat !== null;
  };
  // A beat that had arrived although its answer was lost is this process's own.
  const writeAgain = async (lease: RunLease): Promise<number | null> => {
    const kept = await leases.look(lease.run);
    const isOwn = kept?.lease.epoch === lease.epoch && kept.lease.place === lease.place;
    return isOwn ? leases.write(lease, kept.beat) : null;
  };
  /** While the fleet cannot be asked, nobody can take the run either. */
  const tell = (lease: RunLease): Promise<AskedAnswer> => {
    telling = telling.then(() => write(lease)).catch((refusal: unknown) => ({ refusal }));
    return telling;
  };
  /** One that was made anew is not waited for. */
  const look = async (): Promise<void> => {
    if (await isReplaced({ check })) lose(new Error(REPLACED));
  };
  let isTelling = false;
  // While the server is away a beat takes long: more of them would only wait behind it, and whoever closes for all of them.
  const tellAgain = async (): Promise<void> => {
    if (isTelling) return;
    isTelling = true;
    const told = tell(taken.lease);
    const timer = setTimeout(() => void look(), LONG_ASK_MS);
    timer.unref();
    await during(told);
    clearTimeout(timer);
    if (typeof (await told) === 'object') await look();
    isTelling = false;
  };
  const timer = setInterval(() => void tellAgain(), toBeatMs(taken.lease.lostAfterMs));
  timer.unref();
  return {
    renew: async () => (await tell(taken.lease)) === true,
    end: async (how: LeaseEnd | null): Promise<boolean> => {
      clearInterval(timer);
      const told = how === null ? false : tell({ ...taken.lease, ...how });
      await telling;
      return (await told) === true;
    },
  };
}

function takePiece(waiting: KeptRecord[]): readonly KeptRecord[] {
  let chars = 0;
  let count = 0;
  for (const record of waiting) {
    chars += JSON.stringify(record).length;
    if (count > 0 && chars > PIECE_CHARS) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** A server that is away longer than what is asked of it waits for is asked again, as long as that is of use. */
async function patiently<Result>(act: () => Promise<Result>, isOfUse: () => boolean): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isOfUse() || performance.now() - startedAt > PATIENCE_MS) throw error;
      await pause(LOOK_MS);
    }
  }
}

/**
 * Gives what is kept of a run, piece by piece, and goes on as it is written; each piece when the one before has been seen. What cannot be read is told to `fail`, and nothing
 * comes after it.
 *
 * @returns ends it; resolves when what was there has been seen
 */
export async function followKept(
  fleet: Pick<Fleet, 'log' | 'blobs'>,
  run: string,
  see: (piece: KeptPiece) => Promise<void>,
  fail: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let seen: Promise<void> = Promise.resolve();
  let isOver = false;
  const take = async (body: Json): Promise<void> => {
    const piece = isOver ? null : parsePiece(await fromBody(fleet.blobs, body));
    if (isOver) return;
    if (piece === null) throw new Error('what the fleet keeps of the run cannot be read');
    await see(piece);
  };
  const end = await fleet.log.follow(run, (body) => {
    seen = seen
      .then(() => take(body))
      .catch((error: unknown) => {
        if (!isOver) fail(error);
        isOver = true;
      });
  });
  await seen;
  return async () => {
    isOver = true;
    await end();
    await seen;
  };
}

/** Reads all that is kept of a run. Where it ends. */
export async function readKept(fleet: Pick<Fleet, 'log' | 'blobs'>, run: string, visit: (piece: KeptPiece) => void): Promise<LogPlace> {
  const bodies: Json[] = [];
  const end = await fleet.log.read(run, (body) => bodies.push(body));
  for (const body of bodies) {
    const piece = parsePiece(await fromBody(fleet.blobs, body));
    if (piece === null) throw new Error('what the fleet keeps of the run cannot be read');
    visit(piece);
  }
  return end;
}
