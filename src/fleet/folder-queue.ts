import { isJsonObject, type Json } from '../core/values/json.ts';
import type { WorkClaim, WorkerFacts, WorkId, WorkOrder, WorkQueue } from '../ports/fleet.ts';
import { parseKey, requirePart, toKey } from './fleet-names.ts';
import type { FolderState } from './folder-state.ts';
import { createWaiters } from './waiters.ts';
import { type ChangeRecord, type StoredRecord, serves, toClaim, toHeld, toStanding, toWorkRecord } from './work-record.ts';

const WORK = 'work.';
/** An order that was not accepted is asked about again after so long. */
const ASIDE_MS = 500;

interface Offered {
  readonly order: WorkOrder;
  readonly revision: number;
}

/** Orders, each a value of the state. */
export function createFolderQueue(state: FolderState): WorkQueue {
  const look = (id: WorkId): StoredRecord | null => {
    const kept = state.get(WORK + toKey(id));
    return kept === null ? null : { record: toWorkRecord(kept.value), revision: kept.revision };
  };
  const write = (id: WorkId, record: StoredRecord['record'] | null, revision: number): Promise<number | null> =>
    state.change(WORK + toKey(id), record as unknown as Json, revision);
  const changeOf =
    (id: WorkId): ChangeRecord =>
    (record, revision) =>
      write(id, record, revision);
  const forget = async (id: WorkId): Promise<void> => {
    for (let kept = look(id); kept !== null; kept = look(id)) if ((await write(id, null, kept.revision)) !== null) return;
  };
  const offers = createOffers(state);
  return {
    offer: async (order) => {
      await write(order, { kind: 'offered', order }, 0);
    },
    // Whoever waits looks by itself now and then.
    remind: async (id) => void toKey(id),
    claim: async (worker, signal, accept): Promise<WorkClaim | null> => {
      for (let offer = await offers.next(worker, signal); offer !== null; offer = await offers.next(worker, signal)) {
        const { order, revision } = offer;
        if (accept !== undefined && !(await accept(order, offers.waitedMs(offer)))) {
          offers.putAside(order);
          continue;
        }
        const own = toHeld(worker.id);
        const taken = await write(order, own, revision);
        if (taken !== null) return toClaim(order, own, taken, changeOf(order));
      }
      return null;
    },
    look: async (id) => toStanding(look(id)),
    withdraw: async (id, held) => {
      for (;;) {
        const kept = look(id);
        if (kept === null || kept.record.kind === 'over') return held === undefined;
        if (held?.kind === 'held' && held.beat !== kept.revision) return false;
        if ((await write(id, { kind: 'over' }, kept.revision)) !== null) return true;
        // Its worker has said meanwhile that it lives.
        if (held !== undefined) return false;
      }
    },
    forget,
    forgetRun: async (run) => {
      requirePart(run);
      const ids = state.list(`${WORK}${run}.`).map(([key]) => parseKey(key.slice(WORK.length)));
      for (const id of ids) if (id !== null) await forget(id);
    },
  };
}

/** Orders that nobody has taken. */
function createOffers(state: FolderState) {
  const aside = new Set<string>();
  const { lookAll, wait } = createWaiters();
  /** By revision: when each was seen first. */
  let seen: ReadonlyMap<number, number> | null = null;
  const list = (): readonly Offered[] => {
    const offered = state.list(WORK).flatMap(([key, { value, revision }]) => {
      // Most are held or over, and of these nothing need be read.
      const record = isJsonObject(value) && value['kind'] === 'offered' ? toWorkRecord(value) : null;
      // One that stands in the place of another is nobody's.
      return record?.kind === 'offered' && WORK + toKey(record.order) === key ? [{ order: record.order, revision }] : [];
    });
    const known = seen;
    const now = known === null ? Number.NEGATIVE_INFINITY : performance.now();
    seen = new Map(offered.map(({ revision }) => [revision, known?.get(revision) ?? now]));
    return offered.sort((one, other) => one.revision - other.revision);
  };
  let isListening = false;
  return {
    /** The oldest one that this worker can serve; waits for it. `null` when aborted. */
    next: (worker: WorkerFacts, signal: AbortSignal): Promise<Offered | null> => {
      if (!isListening) state.onChange(lookAll);
      isListening = true;
      return wait(() => list().find(({ order }) => !aside.has(toKey(order)) && serves(worker, order)), signal);
    },
    waitedMs: ({ revision }: Offered): number => performance.now() - (seen?.get(revision) ?? performance.now()),
    putAside: (order: WorkOrder): void => {
      const key = toKey(order);
      aside.add(key);
      setTimeout(() => {
        aside.delete(key);
        lookAll();
      }, ASIDE_MS).unref();
    },
  };
}
