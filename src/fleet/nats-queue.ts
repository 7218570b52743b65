import type { DeliverPolicy, JsMsg } from '@nats-io/jetstream';
import type { WorkClaim, WorkerFacts, WorkId, WorkOrder, WorkQueue } from '../ports/fleet.ts';
import { requirePart, toKey } from './fleet-names.ts';
import { consume, keepReading, type Reading } from './keep-reading.ts';
import { insist, type NatsServer, toJsonBytes, toUtf8Text, unlessConflict, WORK } from './nats-server.ts';
import { createWaiters } from './waiters.ts';
import { type ChangeRecord, parseWorkRecord, type StoredRecord, serves, toClaim, toHeld, toOwnChange, toStanding } from './work-record.ts';

/**
 * An order has two records, so that accounts of workers need no right to write the first one: what is offered, and who holds it or that it is over. It is offered as long as the first one is there without
 * the second.
 */
const OFFER = 'offer.';
const HOLDING = 'held.';

/** `since`: by a clock of this process; infinitely long ago where it was there before. */
interface Offered {
  readonly order: WorkOrder;
  readonly revision: number;
  readonly since: number;
}

const ASIDE_MS = 500;
/** A change of one's own comes back within a millisecond or two; where the connection was lost it does not. */
const SEEN_MS = 250;
/** The library's own word, which is not loaded for it. */
const LAST_OF_EACH: DeliverPolicy = 'last_per_subject';

/** Orders that nobody has taken, as they come. */
export interface Offers {
  /** The oldest one that this worker can serve; waits for it. `null` when aborted. */
  readonly next: (worker: WorkerFacts, signal: AbortSignal) => Promise<Offered | null>;
  /** It is being taken: it is not given again unless it is offered anew, or taking it fails. */
  readonly dropWhile: <Result>(order: WorkOrder, take: () => Promise<Result>) => Promise<Result>;
  /** It is not given for a while. */
  readonly putAside: (order: WorkOrder) => void;
  /** Whether it was still offered when a change was made; waits until that has come back, for what was written before it has come by then. `null`: it does not come. */
  readonly wasOffered: (order: WorkOrder, revision: number) => Promise<boolean | null>;
  readonly close: () => Promise<void>;
}

export function createOffers({ stream, manager, connection }: NatsServer): Offers {
  const offered = new Map<string, Offered>();
  const taken = new Set<string>();
  const aside = new Set<string>();
  /** The last change that was there before it is listened. */
  let before = 0;
  const waiters = createWaiters();
  const seen = createProgress();
  let stop: (() => Promise<void>) | undefined;
  const take = (message: JsMsg): void => {
    const { key, isThere, revision, data } = toChange(message);
    seen.move(revision);
    if (key.startsWith(HOLDING)) {
      const id = key.slice(HOLDING.length);
      return void (isThere ? taken.add(id) : taken.delete(id));
    }
    const id = key.slice(OFFER.length);
    const record = isThere && key.startsWith(OFFER) ? parseWorkRecord(toUtf8Text(data)) : null;
    // One that stands in the place of another is nobody's.
    if (record?.kind !== 'offered' || toKey(record.order) !== id) return void offered.delete(id);
    // After a new connection all of them come once more.
    if (offered.get(id)?.revision === revision) return;
    offered.set(id, { order: record.order, revision, since: revision > before ? performance.now() : Number.NEGATIVE_INFINITY });
    waiters.lookAll();
  };
  const find = (worker: WorkerFacts): Offered | undefined =>
    [...offered].find(([id, { order }]) => !taken.has(id) && !aside.has(id) && serves(worker, order))?.[1];
  const listen = async (): Promise<Reading<JsMsg>> => {
    before = (await manager.streams.info(`KV_${WORK}`)).state.last_seq;
    return consume(await stream.consumers.get(`KV_${WORK}`, { filter_subjects: `$KV.${WORK}.>`, deliver_policy: LAST_OF_EACH }));
  };
  return {
    next: (worker, signal) => {
      stop ??= keepReading(connection, listen, take);
      return waiters.wait(() => find(worker), signal);
    },
    dropWhile: (order, take) => addWhile(taken, toKey(order), take),
    putAside: (order) => {
      const id = toKey(order);
      aside.add(id);
      setTimeout(() => {
        aside.delete(id);
        waiters.lookAll();
      }, ASIDE_MS).unref();
    },
    wasOffered: async (order, revision) => ((await seen.reaches(revision)) ? offered.has(toKey(order)) : null),
    close: async () => stop?.(),
  };
}

function toChange({ subject, headers, seq: revision, data }: JsMsg) {
  // What was deleted says so.
  return { key: subject.slice(`$KV.${WORK}.`.length), isThere: (headers?.get('KV-Operation') ?? '') === '', revision, data };
}

/** Adds a name, and takes it back where something fails: where that was written all the same, it comes back as a change. */
async function addWhile<Result>(names: Set<string>, name: string, act: () => Promise<Result>): Promise<Result> {
  names.add(name);
  try {
    return await act();
  } catch (error) {
    names.delete(name);
    throw error;
  }
}

/** How far something has been read. Whoever waits goes on when the one who tells it has returned. */
function createProgress() {
  let reached = 0;
  const waiting = new Set<() => void>();
  return {
    move: (to: number): void => {
      reached = Math.max(reached, to);
      for (const look of waiting) look();
    },
    /** Waits a short while until it is there. */
    reaches: (revision: number): Promise<boolean> =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(reached >= revision);
        };
        const look = (): void => void (reached >= revision && end());
        const timer = setTimeout(end, SEEN_MS);
        waiting.add(look);
        look();
      }),
  };
}

/** The two records of orders. */
function createOrderRecords({ work }: NatsServer) {
  const readKey = async (key: string): Promise<StoredRecord | null> => {
    const entry = await insist(() => work.get(key));
    if (entry === null || entry.operation !== 'PUT') return null;
    return { record: parseWorkRecord(toUtf8Text(entry.value)), revision: entry.revision };
  };
  return {
    readHolding: (id: WorkId): Promise<StoredRecord | null> => readKey(HOLDING + toKey(id)),
    readOffer: async (id: WorkId): Promise<WorkOrder | null> => {
      const kept = await readKey(OFFER + toKey(id));
      return kept?.record.kind === 'offered' && toKey(kept.record.order) === toKey(id) ? kept.record.order : null;
    },
    /** Writes the offer once more, as it is. */
    repeatOffer: async (id: WorkId): Promise<void> => {
      const key = OFFER + toKey(id);
      const kept = await readKey(key);
      if (kept?.record.kind !== 'offered') return;
      const { record, revision } = kept;
      await unlessConflict(() => work.update(key, toJsonBytes(record), revision));
    },
    changeOf: (id: WorkId): ChangeRecord => {
      const key = HOLDING + toKey(id);
      return (record, revision) =>
        unlessConflict(() => (revision === 0 ? work.create(key, toJsonBytes(record)) : work.update(key, toJsonBytes(record), revision)));
    },
  };
}

/** Orders, in two records each. */
export function createQueue(server: NatsServer, offers: Offers): WorkQueue {
  const { work, manager } = server;
  const { readHolding, readOffer, repeatOffer, changeOf } = createOrderRecords(server);
  const claim: WorkQueue['claim'] = async (worker, signal, accept): Promise<WorkClaim | null> => {
    for (let offer = await offers.next(worker, signal); offer !== null; offer = await offers.next(worker, signal)) {
      const { order, since } = offer;
      if (accept !== undefined && !(await accept(order, performance.now() - since))) {
        offers.putAside(order);
        continue;
      }
      const id: WorkId = order;
      const own = toHeld(worker.id);
      const change = toOwnChange(own, changeOf(id), () => readHolding(id));
      const taken = await offers.dropWhile(order, () => change(own, 0));
      if (taken === null) continue;
      // One that was forgotten meanwhile is nobody's: what is forgotten loses its offer first.
      const isOffered = (await offers.wasOffered(order, taken)) ?? (await readOffer(id)) !== null;
      if (isOffered) return toClaim(order, own, taken, change);
      await unlessConflict(() => work.delete(HOLDING + toKey(id), { previousSeq: taken }));
    }
    return null;
  };
  return {
    offer: async (order) => {
      const key = OFFER + toKey(order);
      await unlessConflict(() => work.create(key, toJsonBytes({ kind: 'offered', order })));
    },
    remind: async (id) => {
      if ((await readHolding(id)) === null) await repeatOffer(id);
    },
    claim,
    look: async (id) => {
      const held = await readHolding(id);
      return held === null && (await readOffer(id)) !== null ? { kind: 'offered' } : toStanding(held);
    },
    withdraw: async (id, held) => {
      for (;;) {
        const kept = await readHolding(id);
        if (kept?.record.kind === 'over' || (kept === null && (await readOffer(id)) === null)) return held === undefined;
        if (held?.kind === 'held' && held.beat !== kept?.revision) return false;
        if ((await changeOf(id)({ kind: 'over' }, kept?.revision ?? 0)) !== null) return true;
        // Its worker has said meanwhile that it lives.
        if (held !== undefined) return false;
      }
    },
    forget: async (id) => {
      const key = toKey(id);
      // Never purged while a run goes on: servers of 2.9 then pass over what is offered at the same moment, for everybody who waits for it.
      await insist(() => work.delete(OFFER + key));
      await insist(() => work.delete(HOLDING + key));
    },
    forgetRun: async (run) => {
      requirePart(run);
      for (const part of [OFFER, HOLDING])
        await insist(() => manager.streams.purge(`KV_${WORK}`, { filter: `$KV.${WORK}.${part}${run}.*` }));
    },
  };
}
