import { realpath } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { isWithin } from '../../core/text/is-within.ts';

/** Where a link leads in the end, by the way from folder to folder. */
export interface InnerLink {
  /** Relative to the top, empty for the top itself. */
  readonly target: string;
  /** What the link says of that: without another link on it, the way cannot lead out. */
  readonly text: string;
}

/**
 * Resolves a link below a folder.
 *
 * @param top without links
 * @param place an absolute path below the top
 * @returns null where it leads to nothing, or out of the folder
 */
export async function resolveInner(top: string, place: string): Promise<InnerLink | null> {
  const real = await realpath(place).catch(() => null);
  if (real === null || !isWithin(real, top)) return null;
  return { target: relative(top, real), text: relative(dirname(place), real) || '.' };
}
