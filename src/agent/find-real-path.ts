import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toErrorCode } from '../core/index.ts';
import { type PathRefusal, quotePath } from './check-path-text.ts';

/** Errors that mean: there is nothing of that name. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * The real path of the nearest part that exists, and the rest as it is. A link that leads to nothing is refused: what is there, is there later
 * for whoever follows it.
 *
 * @param path absolute.
 */
export async function findRealPath(path: string): Promise<{ readonly path: string } | PathRefusal> {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return { path: join(await realpath(current), ...rest) };
    } catch (error) {
      const code = toErrorCode(error);
      if (!ABSENT.has(code)) return explainLookup(path, code);
      if (await isLink(current)) {
        return {
          refused: `The path ${quotePath(path)} goes through a symbolic link that leads to nothing.`,
          advice: 'Give the path of a file itself, not of a link to it.',
        };
      }
      rest.unshift(basename(current));
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

function explainLookup(path: string, code: string): PathRefusal {
  const shown = quotePath(path);
  if (code === 'ELOOP')
    return { refused: `The path ${shown} goes through symbolic links that lead in a circle.`, advice: 'Give another path.' };
  if (code === 'EACCES' || code === 'EPERM') {
    return { refused: `The path ${shown} goes through a folder that may not be entered (${code}).`, advice: 'Give another path.' };
  }
  return { refused: `The path ${shown} cannot be looked up (${code}).`, advice: 'Check the path; list_files shows what there is.' };
}
