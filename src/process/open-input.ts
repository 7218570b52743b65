import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessInput } from './process-spec.ts';

/** What the child gets as standard input: a file descriptor for the caller to close after the start, or a word `spawn` knows. */
export type OpenedInput = number | 'ignore' | 'pipe';

/**
 * Makes a child's standard input ready.
 *
 * @throws the system's error when the file of a `file` input cannot be read, and `EINVAL` when it is no regular file (opening a
 * named pipe would wait for its writer for ever).
 */
export function openInput(input: ProcessInput): OpenedInput {
  if (input.kind === 'none') return 'ignore';
  if (input.kind === 'open') return 'pipe';
  if (input.kind === 'file') return openRegularFile(input.path);
  return writeUnlinkedFile(input.text) ?? 'pipe';
}

function openRegularFile(path: string): number {
  if (!statSync(path).isFile()) throw Object.assign(new Error(`not a regular file: ${path}`), { code: 'EINVAL' });
  return openSync(path, 'r');
}

/**
 * A text as a file that has no name any more. Compared with a pipe: nothing to pump, nothing to break when the child does not read,
 * and `/dev/stdin` can be opened. Undefined when the temporary folder cannot take it.
 */
function writeUnlinkedFile(text: string | Uint8Array): number | undefined {
  let fd: number | undefined;
  try {
    const path = join(tmpdir(), `ralph-input-${randomUUID()}`);
    fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const bytes = Buffer.from(text);
    // Written at a given place, so that the shared position stays at the beginning for the child.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
    return fd;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}
