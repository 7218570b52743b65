import { createHash } from 'node:crypto';
import type { DeliverPolicy, JsMsg } from '@nats-io/jetstream';
import type { KvWatchEntry } from '@nats-io/kv';
import { isJsonObject, isTextList, type Json, parseJson } from '../core/values/json.ts';
import { isLabel } from '../core/values/label.ts';
import type {
  Blobs,
  Fleet,
  Reports,
  Wires,
  WorkClaim,
  WorkerFacts,
  WorkerList,
  WorkerState,
  WorkId,
  WorkOrder,
  WorkQueue,
} from '../ports/fleet.ts';
import { isOrderName, isSubjectPart, parseKey, toKey } from './fleet-names.ts';
import { keepReading, type Reading } from './keep-reading.ts';
import type { NatsPlace } from './nats-place.ts';
import { createRunLeases, createRunLog } from './nats-runs.ts';
import { insist, listKeys, type NatsServer, openNatsServer, REPORTS, unlessConflict, WORKERS } from './nats-server.ts';
import {
  type ChangeRecord,
  type KeptRecord,
  parseReport,
  parseWorkRecord,
  serves,
  toClaim,
  toHeld,
  toOwnChange,
  toStanding,
} from './work-record.ts';

/**
 * Connects to a fleet on NATS JetStream. Orders are in a bucket whose records change by compare-and-swap alone, reports in a stream, files in an object
 * store; what passes by goes over plain subjects.
 *
 * @throws RalphError `fleet-unreachable`
 */
export async function connectFleet(place: NatsPlace): Promise<Fleet> {
  const server = await openNatsServer(place);
  const offers = createOffers(server);
  return {
    queue: createQueue(server, offers),
    reports: createReports(server),
    blobs: createBlobs(server),
    wires: createWires(server),
    workers: createWorkerList(server),
    log: createRunLog(server),
    leases: createRunLeases(server),
    close: async () => {
      await offers.close();
      await server.connection.close();
    },
  };
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Orders that nobody has taken, as they come. */
interface Offers {
  /** The oldest one that this worker can serve; waits for it. `null` when aborted. */
  readonly next: (
    worker: WorkerFacts,
    signal: AbortSignal,
  ) => Promise<{ readonly key: string; readonly order: WorkOrder; readonly revision: number } | null>;
  /** It is taken: it is not given again unless it is offered anew. */
  readonly drop: (key: string) => void;
  readonly close: () => Promise<void>;
}

function createOffers({ work, connection }: NatsServer): Offers {
  const open = new Map<string, { readonly order: WorkOrder; readonly revision: number }>();
  const waiting = new Set<() => void>();
  let stop: (() => Promise<void>) | undefined;
  const take = ({ key, revision, operation, value }: KvWatchEntry): void => {
    const record = operation === 'PUT' ? parseWorkRecord(toText(value)) : null;
    // One that stands in the place of another is nobody's.
    if (record?.kind !== 'offered' || toKey(record.order) !== key) return void open.delete(key);
    open.set(key, { order: record.order, revision });
    for (const look of waiting) look();
  };
  const listen = async (): Promise<Reading<KvWatchEntry>> => {
    const items = await work.watch();
    return { items, stop: () => items.stop() };
  };
  return {
    next: (worker, signal) => {
      stop ??= keepReading(connection, listen, take);
      return new Promise((resolve) => {
        const look = (): void => {
          const found = signal.aborted ? undefined : [...open].find(([, { order }]) => serves(worker, order));
          if (found === undefined && !signal.aborted) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve(found === undefined ? null : { key: found[0], ...found[1] });
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      });
    },
    drop: (key) => void open.delete(key),
    close: async () => stop?.(),
  };
}

function createQueue({ work }: NatsServer, offers: Offers): WorkQueue {
  const changeOf =
    (key: string): ChangeRecord =>
    (record, revision) =>
      unlessConflict(() => work.update(key, toBytes(record), revision));
  const read = async (id: WorkId): Promise<KeptRecord | null> => {
    const key = toKey(id);
    const entry = await insist(() => work.get(key));
    if (entry === null || entry.operation !== 'PUT') return null;
    return { record: parseWorkRecord(toText(entry.value)), revision: entry.revision };
  };
  const claim: WorkQueue['claim'] = async (worker, signal): Promise<WorkClaim | null> => {
    for (let offer = await offers.next(worker, signal); offer !== null; offer = await offers.next(worker, signal)) {
      const { key, order, revision } = offer;
      offers.drop(key);
      const own = toHeld(worker.id);
      const change = toOwnChange(own, changeOf(key), () => read(order));
      const taken = await change(own, revision);
      if (taken !== null) return toClaim(order, own, taken, change);
    }
    return null;
  };
  return {
    offer: async (order) => {
      const key = toKey(order);
      await unlessConflict(() => work.create(key, toBytes({ kind: 'offered', order })));
    },
    claim,
    look: async (id) => toStanding(await read(id)),
    withdraw: async (id, held) => {
      for (;;) {
        const kept = await read(id);
        if (kept === null || kept.record.kind === 'over') return held === undefined;
        if (held?.kind === 'held' && held.beat !== kept.revision) return false;
        if ((await changeOf(toKey(id))({ kind: 'over' }, kept.revision)) !== null) return true;
        // Its worker has said meanwhile that it lives.
        if (held !== undefined) return false;
      }
    },
    forget: async (id) => {
      const key = toKey(id);
      await insist(() => work.purge(key));
    },
  };
}

/** The library's own word, which is not loaded for it. */
const FROM_SEQUENCE: DeliverPolicy = 'by_start_sequence';

function createReports({ stream, manager, connection }: NatsServer): Reports {
  return {
    append: async ({ run, name, worker, number, body }) => {
      const key = toKey({ run, name });
      const msgID = `${key}.${worker}.${number}`;
      await insist(() => stream.publish(`ralph.report.${key}`, toBytes({ worker, number, body }), { msgID }));
    },
    follow: async (run, visit) => {
      requirePart(run);
      let last = 0;
      const open = async (): Promise<Reading<JsMsg>> => {
        const start = last === 0 ? {} : { deliver_policy: FROM_SEQUENCE, opt_start_seq: last + 1 };
        const consumer = await stream.consumers.get(REPORTS, { filter_subjects: `ralph.report.${run}.>`, ...start });
        const items = await consumer.consume();
        return { items, stop: () => items.stop() };
      };
      return keepReading(connection, open, (message) => {
        last = message.seq;
        const id = parseKey(message.subject.split('.').slice(2).join('.'));
        const report = parseReport(toText(message.data));
        if (id !== null && report !== null) visit({ ...id, ...report });
      });
    },
    forget: async (run) => {
      requirePart(run);
      await insist(() => manager.streams.purge(REPORTS, { filter: `ralph.report.${run}.>` }));
    },
  };
}

function requirePart(run: string): void {
  if (!isSubjectPart(run)) throw new Error(`no part of a subject: ${JSON.stringify(run.slice(0, 80))}`);
}

function createBlobs({ blobs }: NatsServer): Blobs {
  const toHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
  return {
    put: async (bytes) => {
      const name = toHash(bytes);
      if ((await insist(() => blobs.info(name))) === null) await insist(() => blobs.putBlob({ name }, bytes));
      return name;
    },
    get: async (hash) => {
      const bytes = isHash(hash) ? await insist(() => blobs.getBlob(hash)) : null;
      return bytes !== null && toHash(bytes) === hash ? bytes : null;
    },
  };
}

/** How long a worker may take to say that it heard. */
const ANSWER_MS = 1000;

/** False: nobody has heard it, or not in time. */
async function request(connection: NatsServer['connection'], subject: string, words: Json): Promise<boolean> {
  try {
    await connection.request(subject, toBytes(words), { timeout: ANSWER_MS });
    return true;
  } catch {
    return false;
  }
}

function createWires({ connection }: NatsServer): Wires {
  const listen = (subject: string, take: (of: string, words: Json, reply: () => void) => void): (() => void) => {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        const words = error === null ? parseJson(toText(message.data)) : undefined;
        if (words === undefined) return;
        try {
          take(message.subject, words, () => void message.respond());
        } catch {
          // What passes by may be anything; an error here would end the reading of the whole connection.
        }
      },
    });
    return () => subscription.unsubscribe();
  };
  return {
    ask: (id, words) => request(connection, `ralph.ask.${toKey(id)}`, words),
    answer: (id, hear) =>
      listen(`ralph.ask.${toKey(id)}`, (_, words, reply) => {
        reply();
        hear(words);
      }),
    show: (id, live) => {
      try {
        connection.publish(`ralph.live.${toKey(id)}`, toBytes(live));
      } catch {
        // It passes by: whoever cannot be shown it reads it at the end.
      }
    },
    watch: (run, see) => {
      requirePart(run);
      return listen(`ralph.live.${run}.*`, (subject, live) => {
        const id = parseKey(subject.split('.').slice(2).join('.'));
        if (id !== null) see(id.name, live);
      });
    },
  };
}

function createWorkerList(server: NatsServer): WorkerList {
  const { workers, connection } = server;
  const toSubject = (id: string): string => {
    requirePart(id);
    return `ralph.drain.${id}`;
  };
  return {
    tell: async (worker) => {
      requirePart(worker.id);
      await insist(() => workers.put(worker.id, toBytes(worker)));
    },
    leave: async (id) => {
      requirePart(id);
      await insist(() => workers.purge(id));
    },
    list: async () => {
      const keys = await listKeys(server, WORKERS);
      const entries = await Promise.all(keys.map((key) => insist(() => workers.get(key))));
      return entries.flatMap((entry) => (entry?.operation === 'PUT' ? parseWorker(toText(entry.value)) : []));
    },
    drain: (id) => request(connection, toSubject(id), null),
    onDrain: (id, hear) => {
      const subscription = connection.subscribe(toSubject(id), {
        callback: (error, message) => {
          if (error !== null) return;
          message.respond();
          hear();
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

function parseWorker(text: string): readonly WorkerState[] {
  const value = parseJson(text);
  if (!isJsonObject(value)) return [];
  const { id, labels, protocol, slots, busy, isDraining } = value;
  if (typeof id !== 'string' || !isSubjectPart(id) || !isTextList(labels) || typeof protocol !== 'number' || typeof slots !== 'number')
    return [];
  return [
    {
      id,
      labels: labels.filter(isLabel),
      protocol,
      slots,
      busy: Array.isArray(busy) ? busy.flatMap(parseId) : [],
      isDraining: isDraining === true,
    },
  ];
}

function parseId(value: Json): readonly WorkId[] {
  if (!isJsonObject(value)) return [];
  const { run, name } = value;
  return typeof run === 'string' && isSubjectPart(run) && typeof name === 'string' && isOrderName(name) ? [{ run, name }] : [];
}
