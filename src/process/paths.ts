import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { tryOr } from '../core/values/result.ts';

/** True for anything of that name, also for a link that leads nowhere; false where it cannot be looked at. */
export function isThere(path: string): boolean {
  return tryOr(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined, false);
}

/** True for a folder, not for a link to one. Throws the system error where it cannot be looked at. */
export function isFolder(path: string | Buffer): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The names in a folder, in no order; none where it cannot be read. */
export function listNames(folder: string): readonly string[] {
  return tryOr(() => readdirSync(folder), []);
}

/** What a link says; `null` for what is no link. */
export function readLink(path: string): string | null {
  return tryOr(() => readlinkSync(path), null);
}

/** A path without links on the way; `null` where it leads nowhere. */
export function findReal(path: string): string | null {
  return tryOr(() => realpathSync(path), null);
}
