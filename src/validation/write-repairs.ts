import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { RalphError, toErrorCode } from '../core/index.ts';
import type { EditedFiles } from './edited-files.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Writes repaired texts in the place of the files: each is there whole or not at all, with the mode of the old one; a link stays one.
 *
 * @throws RalphError `fix-unwritable` (exit code 2)
 */
export function writeRepairs(files: EditedFiles): void {
  for (const [path, text] of files) {
    try {
      replaceFile(realpathSync(path), text);
    } catch (error) {
      throw new RalphError({
        code: 'fix-unwritable',
        what: `${path} could not be written (${toErrorCode(error)}).`,
        why: 'A repair is written beside the file and put in its place.',
        fix: 'Make the file and its folder writable, or make the changes by hand.',
        exitCode: 2,
      });
    }
  }
}

function replaceFile(path: string, text: string): void {
  const { mode } = statSync(path);
  const mark = readFileSync(path, 'utf8').startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const fresh = `${path}.${process.pid}-${Date.now()}.tmp`;
  try {
    writeFileSync(fresh, mark + text, { mode, flag: 'wx' });
    chmodSync(fresh, mode);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
