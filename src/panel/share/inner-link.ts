import { realpath } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';

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

/** Whether a path is a folder or lies in it. Both are absolute. */
export function isWithin(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}${sep}`);
}
