import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../core/values/json.ts';
import type {
  AcceptOrder,
  Fleet,
  KeptLease,
  KeptWords,
  Reports,
  RunLeases,
  RunLog,
  SteerLine,
  SteerWord,
  Wires,
  WorkClaim,
  WorkerFacts,
  WorkerState,
  WorkOrder,
  WorkQueue,
  WorkReport,
} from '../ports/fleet.ts';
import { isSubjectPart, parseKey, requirePart, toKey } from './fleet-names.ts';
import { hearOnce } from './messages.ts';
import { toTooLarge } from './too-large.ts';
import { type ChangeRecord, type StoredRecord, serves, toClaim, toHeld, toStanding } from './work-record.ts';

/** A fleet in one process: what the contract asks, without a server. */
export function createMemoryFleet(): Fleet {
  const blobs = new Map<string, Uint8Array>();
  const workers = new Map<string, WorkerState>();
  const draining = new Map<string, () => void>();
  return {
    queue: createQueue(),
    reports: createReports(),
    blobs: {
      put: async (bytes) => {
        const hash = createHash('sha256').update(bytes).digest('hex');
        blobs.set(hash, bytes);
        return hash;
      },
      get: async (hash, { maxBytes = Number.POSITIVE_INFINITY, onBytes, signal } = {}) => {
        signal?.throwIfAborted();
        const bytes = blobs.get(hash) ?? null;
        if (bytes !== null && bytes.length > maxBytes) throw toTooLarge('A file', maxBytes);
        if (bytes !== null && bytes.length > 0) onBytes?.(bytes.length);
        return bytes;
      },
    },
    wires: createWires(),
    workers: {
      tell: async (worker) => {
        if (![undefined, worker.token].includes(workers.get(worker.id)?.token)) return false;
        workers.set(worker.id, worker);
        return true;
      },
      leave: async ({ id, token }) => {
        if (workers.get(id)?.token === token) workers.delete(id);
      },
      list: async () => [...workers.values()].map((worker) => ({ ...worker, silentMs: 0 })),
      drain: async (id) => {
        const hear = draining.get(id);
        hear?.();
        return hear !== undefined;
      },
      onDrain: (id, hear) => {
        draining.set(id, hear);
        return () => void draining.delete(id);
      },
    },
    log: createRunLog(),
    leases: createRunLeases(),
    steer: createSteerLine(),
    words: createKeptWords(),
    check: async () => 'same',
    close: async () => undefined,
  };
}

function createSteerLine(): SteerLine {
  const asked = new Map<string, (text: string) => Promise<Json>>();
  const requirePart = (run: string): string => {
    if (!isSubjectPart(run)) throw new Error('no part of a subject');
    return run;
  };
  return {
    ask: async (run, word) => (await asked.get(requirePart(run))?.(JSON.stringify(word))) ?? null,
    answer: (run, hear) => {
      asked.set(requirePart(run), hearOnce(hear));
      return () => void asked.delete(run);
    },
  };
}

function createKeptWords(): KeptWords {
  const kept = new Map<string, SteerWord>();
  const listKeys = (run: string): readonly string[] => [...kept.keys()].filter((key) => key.startsWith(toWordKey(run, '')));
  return {
    keep: async (run, word) => {
      requirePart(word.id);
      const key = toWordKey(run, word.id);
      if (!kept.has(key)) kept.set(key, word);
    },
    list: async (run) => listKeys(run).flatMap((key) => kept.get(key) ?? []),
    drop: async (run, id) => {
      requirePart(id);
      kept.delete(toWordKey(run, id));
    },
    forget: async (run) => {
      for (const key of listKeys(run)) kept.delete(key);
    },
  };
}

function toWordKey(run: string, id: string): string {
  requirePart(run);
  return `${run} ${id}`;
}

function createRunLog(): RunLog {
  const followed = new Set<(run: string, body: Json) => void>();
  const logs = new Map<string, { readonly name: string; readonly body: Json }[]>();
  const open = (run: string) => {
    const log = logs.get(run) ?? [];
    logs.set(run, log);
    return log;
  };
  return {
    append: async (run, { behind, name, body }) => {
      const log = open(run);
      const known = log.findIndex((one) => one.name === name);
      if (known >= 0) return known + 1;
      if (log.length !== behind) return null;
      log.push({ name, body });
      for (const take of [...followed]) take(run, body);
      return log.length;
    },
    follow: async (run, visit) => {
      if (!isSubjectPart(run)) throw new Error('no part of a subject');
      for (const { body } of open(run)) visit(body);
      const take = (of: string, body: Json): void => {
        if (of === run) visit(body);
      };
      followed.add(take);
      return async () => void followed.delete(take);
    },
    read: async (run, visit) => {
      for (const { body } of open(run)) visit(body);
      return open(run).length;
    },
    forget: async (run) => void logs.delete(run),
  };
}

function createRunLeases(): RunLeases {
  const leases = new Map<string, KeptLease>();
  let revision = 0;
  return {
    look: async (run) => leases.get(run) ?? null,
    write: async (lease, beat) => {
      if ((leases.get(lease.run)?.beat ?? 0) !== beat) return null;
      revision += 1;
      leases.set(lease.run, { lease, beat: revision });
      return revision;
    },
    forget: async (run, beat) => leases.get(run)?.beat === beat && leases.delete(run),
    list: async () => [...leases.values()],
  };
}

function createQueue(): WorkQueue {
  const records = new Map<string, StoredRecord>();
  const changed = new Set<() => void>();
  let revision = 0;
  const put = (key: string, record: StoredRecord['record']): number => {
    revision += 1;
    records.set(key, { record, revision });
    for (const look of [...changed]) look();
    return revision;
  };
  const accepted = new Set<string>();
  /** Asked about again a little later. */
  const ask = async (key: string, order: WorkOrder, accept: AcceptOrder): Promise<void> => {
    refused.add(key);
    if (await accept(order, performance.now() - (since.get(key) ?? 0))) accepted.add(key);
    else await pause(20);
    refused.delete(key);
    for (const look of [...changed]) look();
  };
  const changeOf =
    (key: string): ChangeRecord =>
    async (record, expected) =>
      records.get(key)?.revision === expected ? put(key, record) : null;
  const refused = new Set<string>();
  const since = new Map<string, number>();
  const take = (worker: WorkerFacts, accept?: AcceptOrder): WorkClaim | null => {
    for (const [key, { record }] of records) {
      if (record.kind !== 'offered' || !serves(worker, record.order) || refused.has(key)) continue;
      if (accept !== undefined && !accepted.has(key)) {
        void ask(key, record.order, accept);
        continue;
      }
      accepted.delete(key);
      const own = toHeld(worker.id);
      return toClaim(record.order, own, put(key, own), changeOf(key));
    }
    return null;
  };
  return {
    offer: async (order) => {
      if (records.has(toKey(order))) return;
      since.set(toKey(order), performance.now());
      put(toKey(order), { kind: 'offered', order });
    },
    // Whoever waits has heard of it.
    remind: async () => undefined,
    claim: (worker, signal, accept) =>
      new Promise((resolve) => {
        const look = (): void => {
          // What it takes is itself a change.
          changed.delete(look);
          const claim = signal.aborted ? null : take(worker, accept);
          if (claim === null && !signal.aborted) return void changed.add(look);
          signal.removeEventListener('abort', look);
          resolve(claim);
        };
        signal.addEventListener('abort', look);
        look();
      }),
    look: async (id) => toStanding(records.get(toKey(id)) ?? null),
    withdraw: async (id, held) => {
      const kept = records.get(toKey(id));
      if (kept === undefined || kept.record.kind === 'over') return held === undefined;
      if (held?.kind === 'held' && kept.revision !== held.beat) return false;
      put(toKey(id), { kind: 'over' });
      return true;
    },
    forget: async (id) => void records.delete(toKey(id)),
    forgetRun: async (run) => {
      for (const key of records.keys()) if (parseKey(key)?.run === run) records.delete(key);
    },
  };
}

function createReports(): Reports {
  const reports: WorkReport[] = [];
  const reported = new Set<(report: WorkReport) => void>();
  const toName = ({ run, name, worker, number }: WorkReport): string => `${run} ${name} ${worker} ${number}`;
  return {
    append: async (report) => {
      if (reports.some((known) => toName(known) === toName(report))) return;
      reports.push(report);
      for (const visit of reported) visit(report);
    },
    follow: async (run, visit) => {
      const take = (report: WorkReport): void => {
        if (report.run === run) visit(report);
      };
      for (const report of reports) take(report);
      reported.add(take);
      return async () => void reported.delete(take);
    },
    forget: async (run) => {
      for (const [index, report] of [...reports.entries()].reverse()) if (report.run === run) reports.splice(index, 1);
    },
  };
}

function createWires(): Wires {
  const asked = new Map<string, (words: Json) => void>();
  const seen = new Set<(run: string, name: string, live: Json) => void>();
  return {
    ask: async (id, words) => {
      const hear = asked.get(toKey(id));
      hear?.(words);
      return hear !== undefined;
    },
    answer: (id, hear) => {
      asked.set(toKey(id), hear);
      return () => void asked.delete(toKey(id));
    },
    show: ({ run, name }, live) => {
      for (const see of seen) see(run, name, live);
    },
    watch: (run, see) => {
      const take = (of: string, name: string, live: Json): void => {
        if (of === run) see(name, live);
      };
      seen.add(take);
      return () => void seen.delete(take);
    },
  };
}
