import { setTimeout as pause } from 'node:timers/promises';
import { isRalphError } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import type { Blobs } from '../ports/fleet.ts';
import { fromBody } from './messages.ts';
import { MAX_REPORT_BYTES } from './too-large.ts';

/** What is heard of the report of an order. */
export interface ReportHearing {
  /** Aborted when the order is over. */
  readonly over: AbortController;
  /** When some of it came last that had not come before, by a steady clock; `null`: nothing has. */
  heardAt: number | null;
  /** So much has come; what comes once more, because the line broke, counts once. */
  heardBytes: number;
  /** What a report brings is on its way: those behind it cannot be looked at meanwhile. */
  isTaking: boolean;
  /** When the last one was taken that had been so, by a steady clock; `null`: none was. */
  takenAt: number | null;
}

/** A worker that has ended writes its report before; one of which nothing has come for so long counts as none. */
const SILENT_MS = 10_000;
/** What comes in drops keeps a run for no longer than this, and what a line that is hardly one would take. */
const SLOW_MS = 60_000;
const LEAST_BYTES_PER_MS = 16;
/** However many reports come, one after the other. */
const LONGEST_MS = 7_200_000;

/** So long so much may take to come. */
function toLongest(bytes: number): number {
  return SLOW_MS + bytes / LEAST_BYTES_PER_MS;
}

/** Why the report of a worker that ended so long ago is waited for no longer; `null`: it is. */
export function findUnreported({ heardAt, heardBytes, isTaking, takenAt }: ReportHearing, endedAt: number, now: number): string | null {
  if (now - endedAt > LONGEST_MS) return `ended, and its report took longer than ${LONGEST_MS / 3_600_000} hours`;
  if (isTaking) return null;
  const from = Math.max(endedAt, takenAt ?? endedAt);
  if (now - Math.max(from, heardAt ?? from) > SILENT_MS)
    return heardAt === null ? 'ended without a report' : `ended, and nothing of its report came for ${SILENT_MS / 1000} s`;
  const waited = now - from;
  if (waited <= toLongest(heardBytes)) return null;
  return `ended, and its report came too slowly: ${Math.round(heardBytes / 1024)} KB in ${Math.round(waited / 1000)} s`;
}

/** A fleet in a folder does not say how much has come: as much as is read of a file at once. */
const PART_BYTES = 65_536;

/** Some of it has come. */
export function hearBytes(order: ReportHearing, now: number, bytes = PART_BYTES): void {
  order.heardAt = now;
  order.heardBytes += bytes;
}

/** Files that are fetched for one purpose: all of them are given up where they come too slowly, and where that is not wanted any more. */
export function limitFetching({ put, get }: Blobs, steady: () => number, wanted: AbortSignal): Blobs {
  const slow = new AbortController();
  const signal = AbortSignal.any([wanted, slow.signal]);
  const begunAt = steady();
  let come = 0;
  return {
    put,
    get: (hash, { onBytes, ...reading } = {}) => {
      const count = (bytes = PART_BYTES): void => {
        come += bytes;
        onBytes?.(bytes);
        const waited = steady() - begunAt;
        if (waited <= toLongest(come)) return;
        slow.abort(new Error(`it came too slowly: ${Math.round(come / 1024)} KB in ${Math.round(waited / 1000)} s`));
      };
      return unlessAborted(() => get(hash, { ...reading, onBytes: count, signal }), signal);
    },
  };
}

/** Rejects at once, whatever becomes of it. */
async function unlessAborted<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([act(), aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

const AGAIN_MS = 500;

interface ReportSource {
  readonly fleet: { readonly blobs: Blobs };
  /** Milliseconds that count on, whatever becomes of the clock. */
  readonly steady: () => number;
}

/** Fetches what a worker reported, again and again while its order is open: a slow line, or one that breaks, is no lost turn. Rejects where it is refused. */
export async function fetchReport({ fleet, steady }: ReportSource, order: ReportHearing, body: Json): Promise<Json> {
  const { signal } = order.over;
  hearBytes(order, steady(), 0);
  let most = 0;
  for (;;) {
    let come = 0;
    const onBytes = (bytes = PART_BYTES): void => {
      come += bytes;
      if (come <= most) return;
      hearBytes(order, steady(), come - most);
      most = come;
    };
    try {
      return await fromBody(fleet.blobs, body, { maxBytes: MAX_REPORT_BYTES, onBytes, signal });
    } catch (error) {
      if (isRalphError(error) || signal.aborted) throw error;
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
