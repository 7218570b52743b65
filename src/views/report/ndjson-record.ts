import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { Effect } from '../../core/run/effects.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { LiveRecord, ProgramNews, RunRecord } from '../../core/run/run-record.ts';
import type { TurnId } from '../../core/run/turn.ts';
import type { RunProof } from '../fold/run-view.ts';

/** The version of every line of `--format ndjson` (docs/ndjson.md). */
const NDJSON_VERSION = 1;

/** What every record has. */
interface NdjsonStamp {
  readonly v: typeof NDJSON_VERSION;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A record of `--format ndjson`, plain JSON: `kind` tells what it is, and `type` which input, effect or live event (docs/ndjson.md). */
export type NdjsonRecord =
  | (NdjsonStamp & { readonly kind: 'run' } & RunLine)
  | (NdjsonStamp & { readonly kind: 'input'; readonly seq: number } & Input)
  | (NdjsonStamp & { readonly kind: 'effect'; readonly seq: number } & Effect)
  | NdjsonLive
  | (NdjsonStamp & { readonly kind: 'end' } & EndLine);

/** What passes by, and is not kept in the journal. `left-out`: records that a slow reader did not get. */
export type NdjsonLive = NdjsonStamp & { readonly kind: 'live' } & (
    | (TurnId & { readonly hat: string } & BackendEvent)
    | { readonly type: 'gate-output'; readonly gate: number; readonly line: string }
    | { readonly type: 'fleet'; readonly isAway: boolean; readonly since: number; readonly why?: string }
    | ({ readonly type: 'program' } & ProgramNews)
    | { readonly type: 'left-out'; readonly records: number; readonly characters: number }
  );

/** The first line: which run this is. */
export interface RunLine {
  readonly runId: string;
  readonly runFolder: string;
  readonly workspace: string;
  /** Of Ralph. */
  readonly version: string;
}

/** The last line: how the run ended, and the exit code of the command. */
export interface EndLine {
  readonly runId: string;
  readonly reason: EndReason;
  readonly detail: string;
  readonly exitCode: number;
  /** Whether a completion is proven; `null` for every other end. */
  readonly proof: RunProof | null;
}

/** The first line of a stream. */
export function toNdjsonRun(run: RunLine, at: number): NdjsonRecord {
  return { v: NDJSON_VERSION, kind: 'run', at, ...run };
}

/** The last line of a stream. */
export function toNdjsonEnd(end: EndLine, at: number): NdjsonRecord {
  return { v: NDJSON_VERSION, kind: 'end', at, ...end };
}

/**
 * The line of one record. The fields of an input, an effect or a live event stand beside its `type`, as they are in the code.
 *
 * @param now epoch milliseconds: the time of a live event, which has none of its own
 */
export function toNdjsonRecord(record: RunRecord, now: number): NdjsonRecord {
  if (record.kind === 'input') return { v: NDJSON_VERSION, kind: 'input', seq: record.seq, ...record.input };
  if (record.kind === 'effect') return { v: NDJSON_VERSION, kind: 'effect', seq: record.seq, at: record.at, ...record.effect };
  return toNdjsonLive(record, now);
}

/** The line of something that passes by. */
export function toNdjsonLive(record: LiveRecord, now: number): NdjsonLive {
  const stamp = { v: NDJSON_VERSION, kind: 'live', at: now } as const;
  if (record.kind === 'gate-output') return { ...stamp, type: 'gate-output', gate: record.gate, line: record.line };
  if (record.kind === 'fleet') {
    const { kind: _, ...news } = record;
    return { ...stamp, type: 'fleet', ...news };
  }
  if (record.kind === 'program') {
    const { kind: _, ...news } = record;
    return { ...stamp, type: 'program', ...news };
  }
  const { iteration, attempt, hat, event } = record;
  return { ...stamp, iteration, attempt, hat, ...event };
}

/** The line in the place of live events that a reader was too slow for. */
export function toNdjsonLeftOut(left: { readonly records: number; readonly characters: number }, now: number): NdjsonLive {
  return { v: NDJSON_VERSION, kind: 'live', at: now, type: 'left-out', ...left };
}
