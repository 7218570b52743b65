import { createHash } from 'node:crypto';
import type { Json } from '../core/values/json.ts';
import type { Fleet, WorkerState, WorkReport } from '../ports/fleet.ts';
import { toKey } from './fleet-names.ts';
import { type ChangeRecord, type KeptRecord, serves, toClaim, toStanding } from './work-record.ts';

/** A fleet in one process: what the contract asks, without a server. */
export function createMemoryFleet(): Fleet {
  const records = new Map<string, KeptRecord>();
  const reports: WorkReport[] = [];
  const blobs = new Map<string, Uint8Array>();
  const workers = new Map<string, WorkerState>();
  const changed = new Set<() => void>();
  const reported = new Set<(report: WorkReport) => void>();
  const asked = new Map<string, (words: Json) => void>();
  const seen = new Set<(run: string, name: string, live: Json) => void>();
  let revision = 0;
  const put = (key: string, record: KeptRecord['record']): number => {
    revision += 1;
    records.set(key, { record, revision });
    for (const look of changed) look();
    return revision;
  };
  const changeOf =
    (key: string): ChangeRecord =>
    async (record, expected) =>
      records.get(key)?.revision === expected ? put(key, record) : null;
  return {
    queue: {
      offer: async (order) => {
        if (!records.has(toKey(order))) put(toKey(order), { kind: 'offered', order });
      },
      claim: (worker, signal) =>
        new Promise((resolve) => {
          const look = (): void => {
            const found = signal.aborted
              ? undefined
              : [...records].find(([, { record }]) => record.kind === 'offered' && serves(worker, record.order));
            if (found === undefined && !signal.aborted) return;
            changed.delete(look);
            signal.removeEventListener('abort', look);
            if (found === undefined || found[1].record.kind !== 'offered') return resolve(null);
            const [key, { record }] = found;
            resolve(toClaim(record.order, worker.id, put(key, { kind: 'held', worker: worker.id }), changeOf(key)));
          };
          changed.add(look);
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
    },
    reports: {
      append: async (report) => {
        const isThere = reports.some(
          ({ run, name, worker, number }) =>
            `${run} ${name} ${worker} ${number}` === `${report.run} ${report.name} ${report.worker} ${report.number}`,
        );
        if (isThere) return;
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
    },
    blobs: {
      put: async (bytes) => {
        const hash = createHash('sha256').update(bytes).digest('hex');
        blobs.set(hash, bytes);
        return hash;
      },
      get: async (hash) => blobs.get(hash) ?? null,
    },
    wires: {
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
    },
    workers: {
      tell: async (worker) => void workers.set(worker.id, worker),
      leave: async (id) => void workers.delete(id),
      list: async () => [...workers.values()],
    },
    close: async () => undefined,
  };
}
