/**
 * What git takes for a name (git-check-ref-format(1)), and nothing that it could take for an option, a range, a path or an address. Everything here is
 * pure text: whether there is such a branch is git's to say.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\u0000- \u007F~^:?*[\\]|\.\.|@\{|\/\/|[\u0080-\u009F\u2028-\u202E\u2066-\u2069]/;
const MAX_LENGTH = 250;

/** True for the name of a branch or another ref, such as `main`, `feature/x`, `refs/tags/v1`. */
export function isRefName(name: string): boolean {
  if (name === '' || name === '@' || name.length > MAX_LENGTH || FORBIDDEN.test(name)) return false;
  if (name.startsWith('-') || name.endsWith('.') || name.endsWith('/')) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** True for a name that a branch may be given: git takes `HEAD` and a first `+` for something else, and a first word `refs` for a full name. */
export function isBranchName(name: string): boolean {
  return isRefName(name) && name !== 'HEAD' && !name.startsWith('refs/') && !name.startsWith('+');
}

/** What may follow the name of a commit: `~2`, `^`, `^{commit}`, `@{1}`, `@{upstream}`. */
const SUFFIX = /(?:~\d{0,5}|\^\d{0,3}|\^\{(?:commit|tree)?\}|@\{(?:-?\d{1,5}|u|upstream|push)\})$/;

/** True for one commit as git names it: a ref or an id with what may follow. No path (`HEAD:file`), no search, no date. */
export function isRevision(text: string): boolean {
  let name = text;
  for (let match = SUFFIX.exec(name); match !== null; match = SUFFIX.exec(name)) name = name.slice(0, match.index);
  return text.length <= MAX_LENGTH && !text.startsWith('-') && (isRefName(name) || name === '@' || (name === '' && text.startsWith('@{')));
}

/** True for one commit or a range of them: `a..b`, `a...b`. */
export function isRevisionRange(text: string): boolean {
  const parts = text.split(/\.{2,3}/);
  if (parts.length === 1) return isRevision(text);
  return parts.length === 2 && parts.every((part) => part === '' || isRevision(part)) && parts.some((part) => part !== '');
}

/** True for the name of a remote: shorter than what git takes, so that it can be nothing else. */
export function isRemoteName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && isRefName(name);
}

/** Told with every refusal of a name. */
export const REF_ADVICE = 'Give a branch, a tag or a commit id, such as main, v1.2, HEAD~3 or 1a2b3c4.';
