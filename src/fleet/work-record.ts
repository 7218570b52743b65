import { randomUUID } from 'node:crypto';
import { isJsonObject, isTextList, type Json, parseJson } from '../core/values/json.ts';
import { isLabel } from '../core/values/label.ts';
import type { WorkClaim, WorkerFacts, WorkOrder, WorkReport, WorkStanding } from '../ports/fleet.ts';
import { isOrderName, isSubjectPart } from './fleet-names.ts';

/** How an order is kept. What is held or over has lost its body: whoever holds it has it. */
export type WorkRecord = { readonly kind: 'offered'; readonly order: WorkOrder } | HeldRecord | OverRecord;

/** `worker`: who ended it. */
export interface OverRecord {
  readonly kind: 'over';
  readonly worker?: string;
}

/** `nonce`: of this holding, so that whoever wrote it knows it again. */
export interface HeldRecord {
  readonly kind: 'held';
  readonly worker: string;
  readonly nonce: string;
}

/** A record as it stands in a store that counts its changes. */
export interface StoredRecord {
  readonly record: WorkRecord;
  readonly revision: number;
}

/** Reads a record; what cannot be one is over, for nobody could work on it. */
export function parseWorkRecord(text: string): WorkRecord {
  return toWorkRecord(parseJson(text));
}

/** As {@link parseWorkRecord}. */
export function toWorkRecord(value: Json | undefined): WorkRecord {
  if (!isJsonObject(value)) return { kind: 'over' };
  const { kind, worker, nonce } = value;
  const isNamed = typeof worker === 'string' && isSubjectPart(worker);
  if (kind === 'held' && isNamed && typeof nonce === 'string') return { kind, worker, nonce };
  if (kind === 'over' && isNamed) return { kind, worker };
  const order = value['kind'] === 'offered' ? parseOrder(value['order']) : null;
  return order === null ? { kind: 'over' } : { kind: 'offered', order };
}

function parseOrder(value: Json | undefined): WorkOrder | null {
  if (!isJsonObject(value)) return null;
  const { run, name, labels, protocol, body = null } = value;
  const isNamed = typeof run === 'string' && typeof name === 'string' && typeof protocol === 'number';
  // A worker makes folders of these names.
  if (!isNamed || !isSubjectPart(run) || !isOrderName(name)) return null;
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
export function toStanding(kept: StoredRecord | null): WorkStanding {
  if (kept === null) return { kind: 'over' };
  if (kept.record.kind === 'over') return kept.record;
  const { record, revision } = kept;
  return record.kind === 'offered' ? { kind: 'offered' } : { kind: 'held', worker: record.worker, beat: revision };
}

/** Whether a worker may take an order. */
export function serves({ labels, protocol }: WorkerFacts, order: WorkOrder): boolean {
  return (
    order.protocol >= 1 && order.protocol <= protocol && order.labels.length > 0 && order.labels.every((label) => labels.includes(label))
  );
}

/** Changes a record if it still has that revision; the new one, or `null` where it had changed. */
export type ChangeRecord = (record: WorkRecord, revision: number) => Promise<number | null>;

/** An order in the hands of a worker, from now on. */
export function toHeld(worker: string): HeldRecord {
  return { kind: 'held', worker, nonce: randomUUID() };
}

/** A change that had arrived although its answer was lost is known by its nonce, and made again. */
export function toOwnChange(own: HeldRecord, change: ChangeRecord, look: () => Promise<StoredRecord | null>): ChangeRecord {
  return async (record, revision) => {
    const made = await change(record, revision);
    if (made !== null) return made;
    const kept = await look();
    return kept?.record.kind === 'held' && kept.record.nonce === own.nonce ? change(record, kept.revision) : null;
  };
}

/** The claim of an order that was just taken. */
export function toClaim(order: WorkOrder, own: HeldRecord, held: number, change: ChangeRecord): WorkClaim {
  let revision: number | null = held;
  const write = async (record: WorkRecord): Promise<boolean> => {
    if (revision !== null) revision = await change(record, revision);
    return revision !== null;
  };
  return { order, beat: () => write(own), end: () => write({ kind: 'over', worker: own.worker }) };
}
