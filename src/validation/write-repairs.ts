import { readFileSync } from 'node:fs';
import { isRalphError, RalphError, toErrorCode } from '../core/values/errors.ts';
import type { EditedFiles } from './edited-files.ts';
import { BYTE_ORDER_MARK, replaceFile } from './replace-file.ts';

/** The texts that are to be written, and those that they were made from, by absolute path. */
export interface RepairedFiles {
  readonly files: EditedFiles;
  readonly originals: EditedFiles;
}

/**
 * Writes repaired texts in the place of the files: each is there whole or not at all, with the mode of the old one; a link stays one. A file that
 * no longer holds the text that was repaired is left as it is; where that is seen before the first one is written, so are all.
 *
 * @throws RalphError `fix-unwritable`, `fix-changed` (exit code 2)
 */
export function writeRepairs({ files, originals }: RepairedFiles): void {
  for (const path of files.keys()) attempt(path, () => requireUnchanged(path, originals.get(path)));
  for (const [path, text] of files) attempt(path, () => replaceFile(path, text, () => requireUnchanged(path, originals.get(path))));
}

function attempt(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (isRalphError(error)) throw error;
    throw new RalphError({
      code: 'fix-unwritable',
      what: `${path} could not be written (${toErrorCode(error)}).`,
      why: 'A repair is written beside the file and put in its place.',
      fix: 'Make the file and its folder writable, or make the changes by hand.',
      exitCode: 2,
    });
  }
}

/** Throws where a file no longer holds what was repaired, the byte order mark aside. */
function requireUnchanged(path: string, original: string | undefined): void {
  const text = readFileSync(path, 'utf8');
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (plain === original) return;
  throw new RalphError({
    code: 'fix-changed',
    what: `${path} was changed while it was repaired.`,
    why: 'Writing the repaired text would undo what was saved meanwhile.',
    fix: 'Run the command again: it starts from the file as it is now.',
    exitCode: 2,
  });
}
