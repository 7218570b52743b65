import { isJsonObject, isTextList, type Json } from '../core/values/json.ts';
import { isLabel } from '../core/values/label.ts';
import type { BusyWork, RunLease, WorkerState } from '../ports/fleet.ts';
import { isOrderName, isSubjectPart } from './fleet-names.ts';

const MAX_TEXT = 300;

/** Reads a lease; `null` for what cannot be one. */
export function parseLease(value: Json | undefined): RunLease | null {
  if (!isJsonObject(value)) return null;
  const { run, epoch, place, host, worker, state, lostAfterMs, title } = value;
  const isNamed = typeof run === 'string' && typeof place === 'string' && typeof host === 'string' && typeof title === 'string';
  if (!isNamed || !isSubjectPart(run) || !isSubjectPart(place)) return null;
  if (typeof epoch !== 'number' || typeof lostAfterMs !== 'number') return null;
  if (host.length > MAX_TEXT || title.length > MAX_TEXT || !(lostAfterMs >= 100)) return null;
  if (state !== 'held' && state !== 'free' && state !== 'ended') return null;
  const standsIn = typeof worker === 'string' && isSubjectPart(worker) ? { worker } : {};
  return { run, epoch, place, host, ...standsIn, state, lostAfterMs, title };
}

/** Reads how a worker is; empty for what cannot be one. */
export function parseWorker(value: Json | undefined): readonly WorkerState[] {
  if (!isJsonObject(value)) return [];
  const { id, token, labels, protocol, slots, busy, isDraining } = value;
  if (typeof id !== 'string' || !isSubjectPart(id) || typeof token !== 'string' || !isSubjectPart(token)) return [];
  if (!isTextList(labels) || typeof protocol !== 'number' || typeof slots !== 'number') return [];
  return [
    {
      id,
      token,
      labels: labels.filter(isLabel),
      protocol,
      slots,
      busy: Array.isArray(busy) ? busy.flatMap(parseId) : [],
      isDraining: isDraining === true,
    },
  ];
}

const MAX_AGENT = 60;

function parseId(value: Json): readonly BusyWork[] {
  if (!isJsonObject(value)) return [];
  const { run, name, agent } = value;
  if (typeof run !== 'string' || !isSubjectPart(run) || typeof name !== 'string' || !isOrderName(name)) return [];
  return [{ run, name, ...(typeof agent === 'string' && agent.length <= MAX_AGENT && { agent }) }];
}
