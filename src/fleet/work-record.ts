import { isJsonObject, isTextList, type Json, parseJson } from '../core/values/json.ts';
import { isLabel } from '../core/values/label.ts';
import type { WorkClaim, WorkerFacts, WorkOrder, WorkReport, WorkStanding } from '../ports/fleet.ts';
import { isSubjectPart } from './fleet-names.ts';

/** How an order is kept. What is held or over has lost its body: whoever holds it has it. */
export type WorkRecord =
  | { readonly kind: 'offered'; readonly order: WorkOrder }
  | { readonly kind: 'held'; readonly worker: string }
  | { readonly kind: 'over' };

/** A record as it stands in a store that counts its changes. */
export interface KeptRecord {
  readonly record: WorkRecord;
  readonly revision: number;
}

/** Reads a record; what cannot be one is over, for nobody could work on it. */
export function parseWorkRecord(text: string): WorkRecord {
  const value = parseJson(text);
  if (!isJsonObject(value)) return { kind: 'over' };
  if (value['kind'] === 'held' && typeof value['worker'] === 'string') return { kind: 'held', worker: value['worker'] };
  const order = value['kind'] === 'offered' ? parseOrder(value['order']) : null;
  return order === null ? { kind: 'over' } : { kind: 'offered', order };
}

function parseOrder(value: Json | undefined): WorkOrder | null {
  if (!isJsonObject(value)) return null;
  const { run, name, labels, protocol, body = null } = value;
  const isNamed = typeof run === 'string' && typeof name === 'string' && typeof protocol === 'number';
  // A worker makes folders of these names.
  if (!isNamed || !isSubjectPart(run) || !/^\d{1,9}\.\d{1,9}$/.test(name)) return null;
  return isTextList(labels) && labels.every(isLabel) ? { run, name, labels, protocol, body } : null;
}

/** Reads a report; `null` for what is none. */
export function parseReport(text: string): Pick<WorkReport, 'worker' | 'number' | 'body'> | null {
  const value = parseJson(text);
  if (!isJsonObject(value)) return null;
  const { worker, number, body = null } = value;
  return typeof worker === 'string' && typeof number === 'number' ? { worker, number, body } : null;
}

/** How it looks to whoever watches it. */
export function toStanding(kept: KeptRecord | null): WorkStanding {
  if (kept === null || kept.record.kind === 'over') return { kind: 'over' };
  const { record, revision } = kept;
  return record.kind === 'offered' ? { kind: 'offered' } : { kind: 'held', worker: record.worker, beat: revision };
}

/** Whether a worker may take an order. */
export function serves({ labels, protocol }: WorkerFacts, order: WorkOrder): boolean {
  return order.protocol === protocol && order.labels.length > 0 && order.labels.every((label) => labels.includes(label));
}

/** Changes a record if it still has that revision; the new one, or `null` where it had changed. */
export type ChangeRecord = (record: WorkRecord, revision: number) => Promise<number | null>;

/** The claim of an order that was just taken. */
export function toClaim(order: WorkOrder, worker: string, held: number, change: ChangeRecord): WorkClaim {
  let revision: number | null = held;
  const write = async (record: WorkRecord): Promise<boolean> => {
    if (revision !== null) revision = await change(record, revision);
    return revision !== null;
  };
  return { order, beat: () => write({ kind: 'held', worker }), end: () => write({ kind: 'over' }) };
}
