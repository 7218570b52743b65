import { createHash } from 'node:crypto';
import { type PathRefusal, quotePath } from './check-path-text.ts';
import { explainFileError } from './explain-file-error.ts';
import { openPinned } from './open-pinned.ts';
import type { ReadRecord } from './tool-context.ts';

/** A file and what it was when it was read. */
export interface WholeFile {
  readonly bytes: Buffer;
  readonly record: ReadRecord;
}

/** What is read whole at most; larger files are read by windows only. */
export const MAX_WHOLE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file that a jail has allowed, whole.
 *
 * @param real as the jail resolved it.
 */
export async function readWholeFile(real: string, shownPath: string): Promise<WholeFile | PathRefusal> {
  const handle = await openPinned(real, 'file', shownPath);
  if ('refused' in handle) return handle;
  try {
    const before = await handle.stat();
    if (before.size > MAX_WHOLE_BYTES) {
      const advice = 'Change it with a program of the project, or split it.';
      return { refused: `${quotePath(shownPath)} has ${before.size} bytes, more than this tool takes (${MAX_WHOLE_BYTES}).`, advice };
    }
    const bytes = await readBytes(handle, MAX_WHOLE_BYTES);
    return { bytes, record: { mtimeMs: before.mtimeMs, sizeBytes: bytes.length, sha256: toSha256(bytes) } };
  } catch (error) {
    return explainFileError(error, shownPath);
  } finally {
    await handle.close();
  }
}

/** The hash by which a file is known again, hexadecimal. */
export function toSha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Readable {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Reads to the end, which may have moved since the size was asked for. */
async function readBytes(handle: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= maxBytes) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}
