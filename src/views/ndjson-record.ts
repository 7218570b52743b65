import type { EndReason, RunRecord } from '../core/index.ts';

/** The version of every line of `--format ndjson` (docs/ndjson.md). */
const NDJSON_VERSION = 1;

/** A record of `--format ndjson`: plain JSON. */
export type NdjsonRecord = Readonly<Record<string, unknown>> & {
  readonly v: 1;
  readonly kind: 'run' | 'input' | 'effect' | 'live' | 'end';
  readonly at: number;
};

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
  if (record.kind === 'input') {
    const { type, at, ...fields } = record.input;
    return { v: NDJSON_VERSION, kind: 'input', seq: record.seq, at, type, ...fields };
  }
  if (record.kind === 'effect') {
    const { type, ...fields } = record.effect;
    return { v: NDJSON_VERSION, kind: 'effect', seq: record.seq, at: record.at, type, ...fields };
  }
  if (record.kind === 'gate-output')
    return { v: NDJSON_VERSION, kind: 'live', at: now, type: 'gate-output', gate: record.gate, line: record.line };
  const { iteration, attempt, hat } = record;
  const { type, ...fields } = record.event;
  return { v: NDJSON_VERSION, kind: 'live', at: now, iteration, attempt, hat, type, ...fields };
}
