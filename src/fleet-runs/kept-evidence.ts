import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { toContent } from '../fleet/messages.ts';
import type { SentFile } from '../fleet/run-records.ts';
import { makeFolders } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { KeptRun } from './kept-run.ts';
import { type PlainFile, readEnds, readWhole } from './read-plain.ts';
import { findOutput } from './sent-work.ts';

/** What gates showed, by the number of each record: the record, and the output. */
export type KeptEvidence = ReadonlyMap<number, readonly SentFile[]>;

/** The folder of a run in which it is. */
export function toEvidenceFolder({ folder }: Pick<RunPaths, 'folder'>): string {
  return join(folder, 'evidence');
}

/** Gates of a run that a fleet keeps: what they showed is kept before anything follows from it. What cannot be kept costs no verdict. */
export function keepEvidence(gates: GateRunner, { fleet, keeper }: Pick<KeptRun, 'fleet' | 'keeper'>, folder: string): GateRunner {
  return {
    run: async (orders, signal, observe) => {
      const results = await gates.run(orders, signal, observe);
      for (const { evidence } of results) {
        if (evidence === undefined || evidence.number === null || evidence.isCached) continue;
        const { number } = evidence;
        const files = await sendEvidence(fleet.blobs, folder, number).catch(() => []);
        if (files.length > 0) keeper.add({ kind: 'evidence', number, files });
      }
      return results;
    },
  };
}

async function sendEvidence(blobs: Blobs, folder: string, number: number): Promise<readonly SentFile[]> {
  const [record, output] = toNames(number);
  const file = readEnds(join(folder, output), HEAD_BYTES, MAX_KEPT_OUTPUT_BYTES - HEAD_BYTES);
  const told = readWhole(join(folder, record), MAX_RECORD_BYTES);
  const shown = file === null ? null : toShown(file);
  const isShort = file !== null && file.leftBytes > 0;
  const files = [
    [record, told === null || shown === null || !isShort ? told : toShortened(told, shown)],
    [output, shown],
  ] as const;
  const sent: SentFile[] = [];
  for (const [name, bytes] of files) if (bytes !== null) sent.push({ name, ...(await toContent(blobs, bytes)) });
  return sent;
}

/** Of the record and of the output. */
function toNames(number: number): readonly [string, string] {
  return [`${number}.json`, `${number}.log`];
}

/** A longer output is kept without its middle. */
export const MAX_KEPT_OUTPUT_BYTES = 1 << 20;
/** Of that at the beginning: what failed is told at the end. */
const HEAD_BYTES = 256 << 10;

/** A record has some lines for each try. */
const MAX_RECORD_BYTES = 1 << 20;

function toShown({ head, tail, leftBytes }: PlainFile): Buffer {
  if (leftBytes === 0) return head;
  const mark = `\n[${leftBytes} bytes are left out: of an output over 1 MB a fleet keeps the beginning and the end]\n`;
  return Buffer.concat([head, Buffer.from(mark), tail]);
}

/** The record says what the whole output was; in a copy it says as well what is beside it. */
function toShortened(told: Buffer, shown: Buffer): Buffer {
  const record = parseJson(told.toString('utf8'));
  if (!isJsonObject(record)) return told;
  const shortened = { outputHash: createHash('sha256').update(shown).digest('hex'), outputBytes: shown.length };
  return Buffer.from(`${JSON.stringify({ ...record, shortened }, null, 2)}\n`);
}

/** Whether two records are of the same gate, whatever became of the output beside them. */
function isSameRecord(one: Buffer, other: Uint8Array): boolean {
  const [here, there] = [one, other].map((bytes) => parseJson(Buffer.from(bytes).toString('utf8')) ?? null);
  if (here === undefined || there === undefined || !isJsonObject(here) || !isJsonObject(there)) return one.equals(other);
  return isDeepStrictEqual({ ...here, shortened: null }, { ...there, shortened: null });
}

/** Puts into a folder what a fleet keeps of the evidence; what is here of the same gate stays, for it is whole. What the fleet has forgotten is missed where it is asked for. */
export async function bringEvidence(blobs: Blobs, folder: string, kept: KeptEvidence): Promise<void> {
  if (kept.size > 0) makeFolders(nodeFileSystem, folder);
  for (const [number, files] of kept) {
    const [record, output] = toNames(number);
    const fetch = async (name: string): Promise<Uint8Array | null> => {
      const sent = files.find((file) => file.name === name);
      return sent === undefined ? null : findOutput(blobs, sent);
    };
    const told = await fetch(record);
    if (told === null) continue;
    const here = readWhole(join(folder, record), MAX_RECORD_BYTES);
    if (here !== null && isSameRecord(here, told)) continue;
    // The record comes last: where it is here, so is the output.
    put(join(folder, output), await fetch(output));
    put(join(folder, record), told);
  }
}

function put(path: string, bytes: Uint8Array | null): void {
  rmSync(path, { force: true, recursive: true });
  if (bytes !== null) writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
}
