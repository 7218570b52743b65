import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseJson } from '../core/index.ts';
import { toRefreshed } from './refreshed-login.ts';

/** A login file of the user's and its copy in a turn. */
export interface CarriedLogin {
  /** The user's own file: absolute, no symbolic link. */
  readonly from: string;
  readonly copy: string;
  /** The fields that hold tokens: nothing else is taken over. */
  readonly tokens: readonly string[];
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
 * Carries refreshed tokens back into the user's own files: a CLI that refreshed its token in the sandbox has made the old one useless. Only where the
 * user's own is still what was copied (somebody else may have refreshed it meanwhile), and only the values of token fields: where anything else
 * differs, nothing is carried. Never throws.
 *
 * @returns the user's files that were written
 */
export function carryLogins(logins: readonly CarriedLogin[]): readonly string[] {
  return logins.filter(carry).map((login) => login.from);
}

function carry({ from, copy, hash, tokens }: CarriedLogin): boolean {
  const draft = `${from}.ralph-${process.pid}`;
  try {
    const text = readSmall(copy);
    if (text === null || toContentHash(text) === hash) return false;
    const own = readSmall(from);
    if (own === null || toContentHash(own) !== hash) return false;
    const next = toRefreshedText(own, text, tokens);
    if (next === null || next === own) return false;
    const { mode } = lstatSync(from);
    writeFileSync(draft, next, { encoding: 'latin1', mode: 0o600, flag: 'wx' });
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

/** Written anew from the user's own, so that nothing is hidden in spaces or in a key that stands there twice. */
function toRefreshedText(own: string, copy: string, tokens: readonly string[]): string | null {
  const [before, after] = [parseJson(own), parseJson(copy)];
  if (before === undefined || after === undefined) return null;
  const next = toRefreshed(before, after, new Set(tokens));
  const indent = /^[[{]\r?\n([ \t]+)/.exec(own)?.[1];
  return next === null ? null : `${JSON.stringify(next.value, null, indent)}${own.endsWith('\n') ? '\n' : ''}`;
}
