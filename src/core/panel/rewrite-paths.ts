/** A folder whose real place must not be seen, and what stands there for it. */
export interface RewrittenRoot {
  /** Absolute, without links. */
  readonly path: string;
  /** Absolute. Not a folder above another root. */
  readonly shown: string;
}

/**
 * Replaces folders in texts: where the name of one stands as a whole, or with something below it, in one of the ways in which people and programs write
 * paths: with `/` or `\`, in URLs, in JSON, escaped for a shell. What is shown is written in the same way. `/w/agent_1` touches neither `/w/agent_10` nor
 * `/x/w/agent_1`; a path that is relative, or goes over links, is not known to it. What is shown already stays, so that doing it twice changes nothing.
 */
export function createPathRewriter({ roots }: { readonly roots: readonly RewrittenRoot[] }): (text: string) => string {
  return createRewriter(roots, spellLike);
}

/** What all roots become in texts that are compared. */
const CANONICAL_ROOT = '/workspace';

/** A text in which every one of these folders is `/workspace`, however it is written: two answers that differ in their folders only are the same. */
export function canonicalPaths(text: string, roots: readonly string[]): string {
  const canonical = roots.map((path) => ({ path, shown: CANONICAL_ROOT }));
  return createRewriter(canonical, () => CANONICAL_ROOT)(text);
}

/** A shorter id is too likely to be a word that means something else. */
const MIN_ID_CHARS = 3;
/** What agents call each other: where one writes it, it means the number, whatever a person called an agent. */
const ANONYMOUS = /^agent\d+$/;

/**
 * Replaces the ids of agents by what the others know them by: where one stands as a whole word (`opus-1`, and not in `opus-10` or `my_opus-1`), in the
 * same letters. An id below three characters is left alone, as is one that looks like a number of ours (`agent2`). The limit: an id that is a word of the
 * language (`red`) is replaced wherever that word stands.
 */
export function createNameRewriter(ids: readonly string[], toNumber: (id: string) => number): (text: string) => string {
  const known = [...new Set(ids)].filter((id) => id.length >= MIN_ID_CHARS && !ANONYMOUS.test(id));
  if (known.length === 0) return (text) => text;
  const names = known.sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern = new RegExp(`(?<![A-Za-z0-9_-])(?:${names.join('|')})(?![A-Za-z0-9_-])`, 'g');
  return (text) => text.replace(pattern, (id) => `agent${toNumber(id)}`);
}

/** Says what is shown as the root was written: `match`, behind a scheme of URLs or not. */
type Spell = (root: RewrittenRoot, match: string, isUrl: boolean) => string;

/**
 * One pattern for the roots that may stand in a text, and one pass over it: what was put in is never looked at again. A pattern of all of them would take
 * longer to make than to use: a panel of fifty has hundreds, for each pair of its agents.
 */
function createRewriter(roots: readonly RewrittenRoot[], spell: Spell): (text: string) => string {
  const all = listKnown(roots).map((root) => ({ ...root, word: findPlainWord(root.path) }));
  return (text) => {
    const known = all.filter(({ word }) => text.includes(word));
    return known.every(({ isShown }) => isShown) ? text : rewrite(text, known, spell);
  };
}

/** The last name in a path that is written in one way only; empty where there is none. */
function findPlainWord(path: string): string {
  return path.split(/[/\\]+/).findLast((name) => /^[A-Za-z0-9_.~-]+$/.test(name)) ?? '';
}

function rewrite(text: string, known: readonly KnownRoot[], spell: Spell): string {
  const choices = known.map(({ path }) => `(${toRootPattern(path)})`);
  const pattern = new RegExp(`(?<=${BEFORE})(?:${choices.join('|')})(?=${AFTER})`, 'gu');
  return text.replace(pattern, (match: string, ...rest: readonly unknown[]) => {
    const root = known[rest.findIndex((group) => group !== undefined)];
    if (root === undefined || root.isShown) return match;
    const offset = rest[known.length];
    return spell(root, match, typeof offset === 'number' && text.startsWith('//', offset - 2));
  });
}

interface KnownRoot extends RewrittenRoot {
  /** It stands for itself. */
  readonly isShown: boolean;
}

/** Longest first, so that a folder goes before the one that it lies in; what is shown is known as well, for it may lie in a root. */
function listKnown(roots: readonly RewrittenRoot[]): readonly KnownRoot[] {
  const byPath = new Map<string, KnownRoot>();
  for (const { shown } of roots) byPath.set(trimEnd(shown), { path: trimEnd(shown), shown, isShown: true });
  for (const { path, shown } of roots) {
    const trimmed = trimEnd(path);
    if (byPath.get(trimmed)?.isShown !== false) byPath.set(trimmed, { path: trimmed, shown, isShown: trimmed === trimEnd(shown) });
  }
  return [...byPath.values()].filter(({ path }) => path !== '').sort((a, b) => b.path.length - a.path.length);
}

function trimEnd(path: string): string {
  return path.replace(/[/\\]+$/, '');
}

/** No letter, no digit, or of a language that puts no spaces between words. */
const FOREIGN = '[^\\x00-\\x7f\\p{L}\\p{M}\\p{N}]|[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}]';

/** What stands in front of the beginning of a path. Nothing in it has more than a few characters: the time is that of the text's length. */
const BEFORE = [
  '^',
  '[\\s\\x00-\\x1f\\x7f"\'`(\\[{<>=:,;|&*@!]',
  FOREIGN,
  // A URL without a host, and one of an editor: `file:///w`, `sqlite:////w`, `vscode://file/w`.
  ':\\/\\/(?:\\/|localhost|file)?',
  // The end of a line within JSON, a color of a terminal, an option of a compiler.
  '\\\\[nrt]',
  '\\x1b\\[[\\d;]{0,16}m',
  '(?:^|[\\s"\'`])-[A-Za-z]',
].join('|');

/** What stands behind the whole name of a folder. A full stop ends a sentence, and not a name, where no more of a name follows. */
const AFTER = ['$', '[/\\\\\\s\\x00-\\x1f\\x7f"\'`)\\]}<>:,;=|&*]', '%2[Ff]', FOREIGN, '[.!?]{1,3}(?![\\p{L}\\p{N}_.!?-])'].join('|');

/** Behind `:` two slashes would be those of a URL, and what follows its host. */
const FIRST_SEPARATOR = '(?:\\\\{0,2}\\/|\\\\{1,4}|%2[Ff])';
const SEPARATOR = '(?:[/\\\\]{1,4}|%2[Ff])';

/** A path in all spellings. */
function toRootPattern(path: string): string {
  const [first = '', ...rest] = path.split(/[/\\]+/).map((name) => Array.from(name, toCharPattern).join(''));
  return rest.map((name, index) => `${index === 0 && first === '' ? FIRST_SEPARATOR : SEPARATOR}${name}`).reduce((a, b) => a + b, first);
}

/** A character as it is, behind a backslash, as URLs write it, and as JSON does. */
function toCharPattern(char: string): string {
  if (/[A-Za-z0-9_.~-]/.test(char)) return escapePattern(char);
  if (char.charCodeAt(0) <= 0x7f) return `(?:\\\\{0,2}${escapePattern(char)}|${toHexPattern('%', char.charCodeAt(0), 2)})`;
  const inJson = Array.from({ length: char.length }, (_unit, index) => toHexPattern('\\\\{1,2}u', char.charCodeAt(index), 4)).join('');
  const isHalf = char.length === 1 && char >= '\ud800' && char <= '\udfff';
  const inUrl = isHalf ? [] : [encodeURIComponent(char).replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`)];
  return `(?:${[escapePattern(char), inJson, ...inUrl].join('|')})`;
}

function toHexPattern(mark: string, value: number, digits: number): string {
  const hex = value.toString(16).padStart(digits, '0');
  return `${mark}${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
}

/** Of characters that mean something in a pattern, and only those: others must not be escaped there. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function spellLike({ path, shown }: RewrittenRoot, match: string, isUrl: boolean): string {
  const separator = /%2f|\\{0,2}\/|\\{1,4}/i.exec(match)?.[0] ?? '/';
  const isEncoded = isUrl || separator.startsWith('%') || (/%[\da-f]{2}/i.test(match) && !path.includes('%'));
  return trimEnd(shown)
    .split('/')
    .map((name) => (isEncoded ? encodeURI(name) : name))
    .join(separator);
}
