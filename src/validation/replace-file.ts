import { chmodSync, lstatSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { toErrorCode } from '../core/values/errors.ts';

export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Puts a text in the place of the one that a file has: it is there whole or not at all, with the mode of the old one and its byte order mark;
 * a link stays one. Throws the error of the system.
 *
 * @param check called at the last moment; what it throws leaves the file as it is
 */
export function replaceFile(path: string, text: string, check: () => void = () => undefined): void {
  const real = realpathSync(path);
  const { mode } = statSync(real);
  const mark = readFileSync(real, 'utf8').startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const fresh = `${real}.${process.pid}-${Date.now()}.tmp`;
  try {
    writeFileSync(fresh, mark + text, { mode, flag: 'wx' });
    chmodSync(fresh, mode);
    check();
    renameSync(fresh, real);
  } catch (error) {
    if (toErrorCode(error) !== 'EEXIST') rmSync(fresh, { force: true });
    throw error;
  }
}

/** The first name of `x.old`, `x.old2`, … that nothing has, not even a link to nowhere. */
export function findOldName(path: string): string {
  let name = `${path}.old`;
  for (let number = 2; isNameTaken(name); number += 1) name = `${path}.old${number}`;
  return name;
}

/** True if something has this name, be it a link to nowhere. */
export function isNameTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
