import { lstatSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { replaceFile } from '../../validation/replace-file.ts';

/** A file that a command writes because its person named it. */
export interface OutputFile {
  readonly cwd: string;
  /** As it was typed; relative to `cwd`. */
  readonly file: string;
  /** What speaks against writing over a file that is there, said behind its name; `null`: nothing. */
  readonly findObstacle: (path: string, there: Stats) => string | null;
  /** A name that would do. */
  readonly example: string;
}

/**
 * Writes a file whole or not at all.
 *
 * @throws RalphError `output-exists` (exit code 2), `output-unwritable` (exit code 1)
 */
export function writeOutput({ cwd, file, findObstacle, example }: OutputFile, text: string): void {
  const path = resolve(cwd, file);
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) return writeFresh(path, text);
    const obstacle = findKind(there) ?? findObstacle(path, there);
    if (obstacle !== null) throw toTaken(file, obstacle, example);
    replaceFile(path, text);
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw new RalphError({
      code: 'output-unwritable',
      what: `${JSON.stringify(file.slice(0, 200))} could not be written (${toErrorCode(error)}).`,
      why: 'The folder may be missing, the file may not be yours to write, or there is no room for it.',
      fix: 'Name a file in a folder that exists.',
    });
  }
}

/** A part of it is none of it. */
function writeFresh(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (!['EEXIST', 'ENOENT', 'EACCES'].includes(toErrorCode(error))) rmSync(path, { force: true });
    throw error;
  }
}

function findKind(there: Stats): string | null {
  if (there.isSymbolicLink()) return 'is a link';
  if (there.isDirectory()) return 'is a folder';
  return there.isFile() ? null : 'is no regular file';
}

function toTaken(file: string, obstacle: string, example: string): RalphError {
  return new RalphError({
    code: 'output-exists',
    what: `${JSON.stringify(file.slice(0, 200))} ${obstacle}; nothing was written.`,
    fix: `Choose another name, such as ${example}.`,
    exitCode: 2,
  });
}
