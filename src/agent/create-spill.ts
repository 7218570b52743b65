import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spill } from './output-cap.ts';

/** What is kept of one output at most. */
const maxSpillBytes = 64 * 1024 * 1024;

/**
 * Keeps long outputs as files in a folder that only Ralph writes, readable for the owner alone. No part of a name comes from a model: the name of
 * the tool is reduced to letters, and the rest is random, so no name can be guessed and taken beforehand.
 *
 * @param folder absolute; made when first needed.
 * @param toShown the path as `read_file` takes it.
 */
export function createSpill(folder: string, toolName: string, toShown: (path: string) => string): Spill {
  const label = toolName.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 40) || 'tool';
  return async (text) => {
    const path = join(folder, `${label}-${randomBytes(6).toString('hex')}.txt`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
      try {
        await handle.writeFile(Buffer.from(text).subarray(0, maxSpillBytes));
      } finally {
        await handle.close();
      }
      return toShown(path);
    } catch {
      return null;
    }
  };
}
