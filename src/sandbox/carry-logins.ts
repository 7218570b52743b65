import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, isTextList, type Json, type JsonObject, parseJson, readOwn } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { listNames } from '../process/paths.ts';
import { removeTree } from '../process/remove-tree.ts';

export interface CarriedLogin {
  /** The user's own file: absolute, no symbolic link. */
  readonly from: string;
  readonly copy: string;
  /** The fields that hold tokens: nothing else is taken over. */
  readonly tokens: readonly string[];
  /** Of the content when it was copied: see {@link toContentHash}. */
  readonly hash: string;
}

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

/** Where a turn notes which login files it has copies of. */
const LOGINS_FILE = 'logins.json';

/** Writes into the private folder of a turn which logins are to be carried back, so that a later process can do it when this one is killed. */
export function noteLogins(folder: string, logins: readonly CarriedLogin[]): void {
  if (logins.length > 0) writeFileSync(join(folder, LOGINS_FILE), JSON.stringify({ version: 1, logins }), { mode: 0o600 });
}

/**
 * Removes what turns of a dead process left in a run's private folder; tokens that their CLIs refreshed are carried back first. Only for a run
 * that nobody else works on. Never throws.
 */
export function sweepPrivate(privateDir: string): void {
  for (const turn of listNames(privateDir)) {
    const folder = join(privateDir, turn);
    try {
      carryLogins(readLogins(join(folder, LOGINS_FILE)));
      removeTree(folder);
    } catch {
      // It stays until the next time.
    }
  }
}

function readLogins(file: string): readonly CarriedLogin[] {
  return tryOr(() => {
    const noted = parseJson(readFileSync(file, 'utf8'));
    const logins = isJsonObject(noted) && Array.isArray(noted['logins']) ? (noted['logins'] as readonly Json[]) : [];
    return logins.flatMap((entry) => (isLogin(entry) ? [entry] : []));
  }, []);
}

function isLogin(entry: Json): entry is Json & CarriedLogin {
  if (!isJsonObject(entry) || !['from', 'copy', 'hash'].every((key) => typeof entry[key] === 'string')) return false;
  return isTextList(entry['tokens']);
}

/** What a token and its expiry look like: nothing that a file of another kind could be made of. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/**
 * The user's own login with the tokens of its copy. Pure. `null` where the copy differs in anything else: another key, another kind of value, another
 * length of a list, a value that is no token.
 *
 * @param tokens the names of the fields that may have changed, at any depth; a text that is itself JSON is compared as such
 */
function toRefreshed(own: Json, copy: Json, tokens: ReadonlySet<string>): { readonly value: Json } | null {
  return compare(own, copy, { tokens, isToken: false });
}

interface LoginField {
  readonly tokens: ReadonlySet<string>;
  /** Whether the value belongs to a field that holds a token. */
  readonly isToken: boolean;
}

function compare(own: Json, copy: Json, place: LoginField): { readonly value: Json } | null {
  if (own === copy) return { value: own };
  if (isJsonObject(own)) return isJsonObject(copy) ? compareObjects(own, copy, place) : null;
  if (isList(own)) return isList(copy) ? compareLists(own, copy, place) : null;
  if (place.isToken && typeof own === 'number') return typeof copy === 'number' && Number.isFinite(copy) ? { value: copy } : null;
  if (typeof own !== 'string' || typeof copy !== 'string') return null;
  if (place.isToken) return TOKEN.test(copy) ? { value: copy } : null;
  return compareTexts(own, copy, place);
}

function compareObjects(own: JsonObject, copy: JsonObject, { tokens }: LoginField): { readonly value: Json } | null {
  const keys = Object.keys(own);
  if (keys.length !== Object.keys(copy).length) return null;
  const entries: [string, Json][] = [];
  for (const key of keys) {
    const [before, after] = [own[key], readOwn(copy, key)];
    const next = before === undefined || after === undefined ? null : compare(before, after, { tokens, isToken: tokens.has(key) });
    if (next === null) return null;
    entries.push([key, next.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function compareLists(own: readonly Json[], copy: readonly Json[], { tokens }: LoginField): { readonly value: Json } | null {
  if (own.length !== copy.length) return null;
  const values: Json[] = [];
  for (const [index, before] of own.entries()) {
    const after = copy[index];
    const next = after === undefined ? null : compare(before, after, { tokens, isToken: false });
    if (next === null) return null;
    values.push(next.value);
  }
  return { value: values };
}

function compareTexts(own: string, copy: string, place: LoginField): { readonly value: Json } | null {
  const [before, after] = [parseJson(own), parseJson(copy)];
  if (!isJsonObject(before ?? null) || !isJsonObject(after ?? null)) return null;
  const next = compare(before ?? null, after ?? null, place);
  return next === null ? null : { value: JSON.stringify(next.value) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
