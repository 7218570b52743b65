import { lstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { toMoveAway } from '../core/text/shell-word.ts';
import { RalphError, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { type FileSystem, makeFolders, withHandle, writeAll } from './file-system.ts';

/**
 * Makes the folders of Ralph (`.ralph`, `.agent`) and tells git to ignore them, with a `.gitignore` of their own that names everything
 * in them. One that is already there is the user's and stays as it is.
 *
 * @throws RalphError `state-folder` when a folder cannot be made, or something else stands there: git would wait for a pipe.
 */
export function ensureStateFolders(fs: FileSystem, folders: readonly string[]): void {
  for (const folder of folders) {
    requireKind(folder, 'folder');
    requireKind(join(folder, '.gitignore'), 'file');
    try {
      makeFolders(fs, folder);
      ignoreContent(fs, join(folder, '.gitignore'));
    } catch (error) {
      throw toFolderError(folder, error);
    }
  }
}

function ignoreContent(fs: FileSystem, path: string): void {
  let handle: number;
  try {
    handle = fs.open(path, 'create');
  } catch (error) {
    if (toErrorCode(error) === 'EEXIST') return;
    throw error;
  }
  withHandle(fs, handle, () => writeAll(fs, handle, Buffer.from('*\n')));
}

function toFolderError(folder: string, cause: unknown): RalphError {
  return new RalphError({
    code: 'state-folder',
    what: `Ralph cannot keep its files in ${folder}: ${toErrorMessage(cause)}`,
    why: 'The journal of a run and the events of its agents live there.',
    fix: 'Make room or give this folder write permission, or move away what is in its place.',
    cause,
  });
}

/**
 * Nothing may stand there, or what belongs there; a link to it counts as it.
 *
 * @throws RalphError `state-folder`, with what moves away what stands in a place of Ralph's own
 */
export function requireKind(path: string, kind: 'file' | 'folder'): void {
  const stats = lookAt(path);
  if (stats === null || (kind === 'file' ? stats.isFile() : stats.isDirectory())) return;
  throw new RalphError({
    code: 'state-folder',
    what: `Ralph cannot use ${path}: what stands there is no ${kind}.`,
    why: `Ralph keeps ${kind === 'file' ? 'a file' : 'files'} of its own there.`,
    fix: toMoveAway(path),
  });
}

/** What a path leads to; a link that leads nowhere is itself; `null` where nothing is, or nothing can be seen. */
function lookAt(path: string): Stats | null {
  for (const look of [statSync, lstatSync]) {
    try {
      return look(path);
    } catch {}
  }
  return null;
}
