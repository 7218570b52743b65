import { lstatSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RalphError, toErrorCode } from '../../core/index.ts';
import { replaceFile } from '../../validation/index.ts';
import { toGraphFormat } from './graph-format.ts';

/** Where a drawing goes. */
export interface DrawingFile {
  readonly cwd: string;
  /** As it was typed; relative to `cwd`. */
  readonly file: string;
  /** Absolute paths of files that are not to be touched, whatever their names. */
  readonly filesRead: ReadonlySet<string>;
}

/**
 * Writes a drawing. A file that is there is written over only if its ending is one of a drawing and the configuration was not read from it.
 *
 * @throws RalphError `output-exists` (exit code 2), `output-unwritable` (exit code 1)
 */
export function writeDrawing({ cwd, file, filesRead }: DrawingFile, text: string): void {
  const path = resolve(cwd, file);
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) return writeFileSync(path, text, { flag: 'wx' });
    const obstacle = findObstacle(path, there, filesRead);
    if (obstacle !== null) throw toTaken(file, obstacle);
    replaceFile(path, text);
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw new RalphError({
      code: 'output-unwritable',
      what: `${JSON.stringify(file.slice(0, 200))} could not be written (${toErrorCode(error)}).`,
      why: 'The folder may be missing, or the file may not be yours to write.',
      fix: 'Name a file in a folder that exists.',
    });
  }
}

/** What speaks against writing over it. */
function findObstacle(path: string, there: Stats, filesRead: ReadonlySet<string>): string | null {
  if (there.isSymbolicLink()) return 'is a link';
  if (there.isDirectory()) return 'is a folder';
  if (!there.isFile()) return 'is no regular file';
  if ([...filesRead].some((read) => isSameFile(read, there))) return 'belongs to the configuration';
  return toGraphFormat(undefined, path) === null ? 'is there already, and its ending is none of a drawing' : null;
}

function isSameFile(path: string, { dev, ino }: Stats): boolean {
  try {
    const stats = statSync(path);
    return stats.dev === dev && stats.ino === ino;
  } catch {
    return false;
  }
}

function toTaken(file: string, obstacle: string): RalphError {
  return new RalphError({
    code: 'output-exists',
    what: `${JSON.stringify(file.slice(0, 200))} ${obstacle}; nothing was written.`,
    fix: 'Choose another name, such as team.svg.',
    exitCode: 2,
  });
}
