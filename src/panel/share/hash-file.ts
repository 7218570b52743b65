import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A larger file is read piece by piece. */
export const MAX_AT_ONCE_BYTES = 1 << 20;

/**
 * What tells the content of a file from any other.
 *
 * @throws the system's error
 */
export async function hashFile(path: string, bytes: number): Promise<string> {
  if (bytes <= MAX_AT_ONCE_BYTES) return hashBytes(await readFile(path));
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('base64url');
}

/** The same of what was read already. */
export function hashBytes(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
