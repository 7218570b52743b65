import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { GateResult } from '../core/gates/gate-result.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { AwayGateTry } from '../ports/gate-runner.ts';

export interface EvidenceStore {
  /** A new number, with the file for the output; `null` where nothing is kept. */
  readonly open: () => EvidenceFile | null;
  /** Writes the record of a number; false where that could not be done. */
  readonly write: (file: EvidenceFile, record: EvidenceRecord) => boolean;
}

export interface EvidenceFile {
  readonly number: number;
  /** Absolute path of the output. */
  readonly logPath: string;
  /** The same as an agent in the workspace names it. */
  readonly log: string;
}

/** `evidence/<number>.json`. */
export interface EvidenceRecord extends Pick<GateResult, 'gate' | 'command' | 'durationMs' | 'passed' | 'exitCode' | 'timedOut'> {
  readonly v: 1;
  readonly number: number;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly treeBefore: string | null;
  readonly tree: string | null;
  /** True if files changed while it ran: the verdict is about those after it. */
  readonly treeChanged: boolean;
  readonly outputHash: string;
  readonly outputBytes: number;
  /** Name of the file with the whole output, beside this one. */
  readonly output: string;
  readonly attempts: readonly AwayGateTry[];
  /** Of the output beside a copy of this, where a fleet keeps less of it; absent: it is whole. */
  readonly shortened?: { readonly outputHash: string; readonly outputBytes: number };
  /** The worker of the fleet that ran it; absent: it ran where the run is. */
  readonly worker?: string;
}

/** Largest output that is read once more for its hash. */
export const MAX_LOG_BYTES = 16 << 20;

/**
 * Keeps evidence in a folder, which is made when it is needed. A disk that is full costs the record, not the verdict.
 *
 * @param folder absolute path
 * @param cwd the workspace
 */
export function createEvidenceStore(folder: string, cwd: string): EvidenceStore {
  let last: number | null = null;
  return {
    open: () => {
      return tryOr(() => {
        mkdirSync(folder, { recursive: true });
        last = (last ?? findLast(folder)) + 1;
        const logPath = join(folder, `${last}.log`);
        writeFileSync(logPath, '', { mode: 0o600 });
        const shown = relative(cwd, logPath);
        return { number: last, logPath, log: shown.startsWith('..') || isAbsolute(shown) ? logPath : shown };
      }, null);
    },
    write: ({ number }, record) => {
      return tryOr(() => {
        const path = join(folder, `${number}.json`);
        writeFileSync(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
        return true;
      }, false);
    },
  };
}

/** Keeps an output that came from elsewhere. A disk that is full costs the output, not the verdict. */
export function keepLog(file: EvidenceFile | null, bytes: Uint8Array | null): void {
  // The verdict says what matters of it.
  if (file !== null && bytes !== null) quietly(() => writeFileSync(file.logPath, bytes.subarray(0, MAX_LOG_BYTES), { mode: 0o600 }));
}

/**
 * Changes the text of an output that was kept. One that cannot be changed is emptied: it must not be read as it was. It is looked at piece by piece, and only one that is to be changed is
 * in memory as a whole.
 *
 * @param change leaves a text as it is unless it holds what is to be changed; what that is, is shorter than {@link OVERLAP_CHARS}
 */
export function rewriteLog({ logPath }: EvidenceFile, change: (text: string) => string): void {
  try {
    if (!isToChange(logPath, change)) return;
    const text = readFileSync(logPath, 'utf8');
    const changed = change(text);
    if (changed !== text) writeFileSync(logPath, changed, { mode: 0o600 });
  } catch {
    emptyLog(logPath);
  }
}

/** So much of one piece is looked at once more with the next, so that nothing lies between two. */
export const OVERLAP_CHARS = 256 << 10;
const PIECE_BYTES = 1 << 20;

function isToChange(logPath: string, change: (text: string) => string): boolean {
  const decoder = new StringDecoder('utf8');
  let text = '';
  const isChanged = (): boolean => change(text) !== text;
  const found = findPiece(logPath, (bytes) => {
    text = text.slice(-OVERLAP_CHARS) + decoder.write(bytes);
    return isChanged();
  });
  text = text.slice(-OVERLAP_CHARS) + decoder.end();
  return found || isChanged();
}

/** Reads a file piece by piece, until `isFound` says so. The piece is written over by the next. Throws the system error. */
function findPiece(path: string, isFound: (bytes: Buffer) => boolean): boolean {
  const file = openSync(path, 'r');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    for (;;) {
      const bytes = readSync(file, piece);
      if (bytes === 0) return false;
      if (isFound(piece.subarray(0, bytes))) return true;
    }
  } finally {
    closeSync(file);
  }
}

function emptyLog(logPath: string): void {
  // It may be gone, or its disk.
  quietly(() => writeFileSync(logPath, '', { mode: 0o600 }));
}

/** The hash and the size of an output that was kept. */
export function hashLog(file: EvidenceFile | null, fallback: string): { readonly outputHash: string; readonly outputBytes: number } {
  try {
    if (file !== null) return hashFile(file.logPath);
  } catch {
    // What was captured stands for it.
  }
  return { outputHash: createHash('sha256').update(fallback).digest('hex'), outputBytes: Buffer.byteLength(fallback) };
}

function hashFile(path: string): ReturnType<typeof hashLog> {
  const hash = createHash('sha256');
  let outputBytes = 0;
  findPiece(path, (bytes) => {
    hash.update(bytes);
    outputBytes += bytes.length;
    return false;
  });
  return { outputHash: hash.digest('hex'), outputBytes };
}

function findLast(folder: string): number {
  const numbers = readdirSync(folder).flatMap((name) => /^(\d+)\.(?:json|log)$/.exec(name)?.[1] ?? []);
  return numbers.reduce((largest, text) => Math.max(largest, Number(text)), 0);
}
