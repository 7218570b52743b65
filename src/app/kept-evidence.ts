import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toContent } from '../fleet/messages.ts';
import type { SentFile } from '../fleet/run-records.ts';
import { makeFolders } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Blobs } from '../ports/fleet.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { KeptRun } from './kept-run.ts';
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
  const sent: SentFile[] = [];
  for (const name of toNames(number)) {
    const bytes = readPlain(join(folder, name));
    if (bytes !== null) sent.push({ name, ...(await toContent(blobs, toShort(bytes))) });
  }
  return sent;
}

/** Of the record and of the output. */
function toNames(number: number): readonly string[] {
  return [`${number}.json`, `${number}.log`];
}

/** A longer output is kept without its middle. */
export const MAX_KEPT_OUTPUT_BYTES = 1 << 20;
/** Of that at the beginning: what failed is told at the end. */
const HEAD_BYTES = 256 << 10;

function toShort(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_KEPT_OUTPUT_BYTES) return bytes;
  const head = bytes.subarray(0, HEAD_BYTES);
  const tail = bytes.subarray(bytes.length - (MAX_KEPT_OUTPUT_BYTES - HEAD_BYTES));
  const left = bytes.length - head.length - tail.length;
  return Buffer.concat([
    head,
    Buffer.from(`\n[${left} bytes are left out: of an output over 1 MB a fleet keeps the beginning and the end]\n`),
    tail,
  ]);
}

/** `null` for what is no plain file: a gate may put anything in its place. */
function readPlain(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : null;
  } finally {
    closeSync(file);
  }
}

/** Puts into a folder what a fleet keeps of the evidence; what is here of the same gate stays, for it is whole. What the fleet has forgotten is missed where it is asked for. */
export async function bringEvidence(blobs: Blobs, folder: string, kept: KeptEvidence): Promise<void> {
  if (kept.size > 0) makeFolders(nodeFileSystem, folder);
  for (const [number, files] of kept) {
    const [record = '', output = ''] = toNames(number);
    const fetch = async (name: string): Promise<Uint8Array | null> => {
      const sent = files.find((file) => file.name === name);
      return sent === undefined ? null : findOutput(blobs, sent);
    };
    const told = await fetch(record);
    if (told === null || readPlain(join(folder, record))?.equals(told) === true) continue;
    // The record comes last: where it is here, so is the output.
    put(join(folder, output), await fetch(output));
    put(join(folder, record), told);
  }
}

function put(path: string, bytes: Uint8Array | null): void {
  rmSync(path, { force: true, recursive: true });
  if (bytes !== null) writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
}
