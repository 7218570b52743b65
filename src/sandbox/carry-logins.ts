import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isJsonObject, parseJson } from '../core/index.ts';

/** A login file of the user's and its copy in a turn. */
export interface CarriedLogin {
  /** The user's own file: absolute, no symbolic link. */
  readonly from: string;
  readonly copy: string;
  /** Of the content when it was copied: see {@link toContentHash}. */
  readonly hash: string;
}

/** Names a content. */
export function toContentHash(bytes: string): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex');
}

/** What is carried back is a few tokens. */
const MAX_LOGIN_BYTES = 1 << 20;

/**
 * Carries refreshed tokens back into the user's own files: a CLI that refreshed its token in the sandbox has made the old one useless. A file is carried
 * back whole or not at all, only where the user's own is still what was copied (somebody else may have refreshed it meanwhile), and only as
 * what it was: JSON with the same keys. Never throws.
 *
 * @returns the user's files that were written
 */
export function carryLogins(logins: readonly CarriedLogin[]): readonly string[] {
  return logins.filter(carry).map((login) => login.from);
}

function carry({ from, copy, hash }: CarriedLogin): boolean {
  const draft = `${from}.ralph-${process.pid}`;
  try {
    const text = readSmall(copy);
    if (text === null || toContentHash(text) === hash) return false;
    const own = readSmall(from);
    if (own === null || toContentHash(own) !== hash || !isSameKind(own, text)) return false;
    const { mode } = lstatSync(from);
    writeFileSync(draft, text, { encoding: 'latin1', mode: 0o600, flag: 'wx' });
    chmodSync(draft, mode & 0o777);
    renameSync(draft, from);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  }
}

/** The bytes of a plain file, one character each; `null` for everything else: the agent may have put a link there. */
function readSmall(path: string): string | null {
  const stats = lstatSync(path);
  return stats.isFile() && stats.size <= MAX_LOGIN_BYTES ? readFileSync(path, 'latin1') : null;
}

function isSameKind(own: string, next: string): boolean {
  const [before, after] = [parseJson(own), parseJson(next)];
  return isJsonObject(before) && isJsonObject(after) && Object.keys(before).every((key) => Object.hasOwn(after, key));
}
