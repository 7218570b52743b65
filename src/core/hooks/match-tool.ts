import { readOwn } from '../values/json.ts';
import { tryOr } from '../values/result.ts';
import type { HookDialect } from './hook-moments.ts';

/**
 * Which tools a hook is about. A matcher is a list of alternatives between `|`, each a pattern as Python's `fnmatch.fnmatchcase` reads it: `*` any text,
 * `?` one character, `[abc]`, `[a-z]` and `[!a]` one of a set. `re:` before it makes a regular expression of the whole, found anywhere in the name.
 */

/** Names that other tools have for the tools of the native agent. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  write_file: ['Write'],
  edit_file: ['Edit', 'MultiEdit'],
  read_file: ['Read'],
  list_files: ['LS'],
  glob: ['Glob'],
  grep: ['Grep'],
  bash: ['Bash'],
  web_fetch: ['WebFetch'],
  web_search: ['WebSearch'],
  update_todos: ['TodoWrite'],
};

/** The tools of the native agent that another tool calls so. */
export function findAliased(name: string): readonly string[] {
  return Object.entries(ALIASES).flatMap(([tool, aliases]) => (aliases.includes(name) ? [tool] : []));
}

/** Whether a matcher takes a tool, by its own name. */
export type ToolMatcher = (tool: string) => boolean;

/**
 * Compiles a matcher. Empty and `*`: every tool. A name that another CLI has for a tool (`Write`) counts where it is written out; a pattern is asked
 * about the tool's own name only, so that `[!r]*` does not take `read_file` by way of `Read`.
 *
 * @returns `null` for an invalid regular expression
 */
export function createToolMatcher(matcher: string): ToolMatcher | null {
  if (matcher.startsWith('re:')) {
    const expression = toExpression(matcher.slice('re:'.length));
    return expression === null ? null : (tool) => expression.test(tool);
  }
  const alternatives = splitAlternatives(matcher);
  if (alternatives.length === 0) return () => true;
  const patterns = alternatives.map((text) => ({ text, matches: compilePattern(text), isPlain: !/[*?[]/.test(text) }));
  return (tool) =>
    patterns.some(({ text, matches, isPlain }) => matches(tool) || (isPlain && (readOwn(ALIASES, tool) ?? []).includes(text)));
}

/** Names of Gemini CLI for them, where they differ. Source: its list of tools. */
const GEMINI_NAMES: Readonly<Record<string, readonly string[]>> = {
  edit_file: ['replace'],
  list_files: ['list_directory'],
  grep: ['grep_search', 'search_file_content'],
  bash: ['run_shell_command'],
  web_search: ['google_web_search'],
  update_todos: ['write_todos'],
};

const NAMES: Readonly<Record<HookDialect, Readonly<Record<string, readonly string[]>>>> = { claude: ALIASES, gemini: GEMINI_NAMES };

/**
 * Compiles a matcher by the rules of an agent CLI, on the tool's own name and on those that this CLI has for it. Empty and `*`: every tool. For Claude
 * Code, letters, digits, `_`, `-`, spaces, `,` and `|` alone are a list of whole names; anything else is a regular expression that is found anywhere in
 * the name, as it always is for Gemini CLI.
 *
 * @returns `null` for an invalid regular expression
 */
export function createForeignMatcher(matcher: string, dialect: HookDialect): ToolMatcher | null {
  const text = matcher.trim();
  if (text === '' || text === '*') return () => true;
  const isAny = (isNamed: (name: string) => boolean): ToolMatcher => {
    return (tool) => [tool, ...(NAMES[dialect][tool] ?? [])].some(isNamed);
  };
  if (dialect === 'claude' && /^[\w\- ,|]+$/.test(text)) {
    const names = text.split(/[,|]/).map((name) => name.trim());
    return isAny((name) => names.includes(name));
  }
  const expression = toExpression(text, '');
  return expression === null ? null : isAny((name) => expression.test(name));
}

function toExpression(text: string, flags = 'u'): RegExp | null {
  return tryOr(() => new RegExp(text, flags), null);
}

/** Splits at `|` outside of sets. */
function splitAlternatives(matcher: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let at = 0; at < matcher.length; at += 1) {
    if (matcher[at] === '[') at = findSetEnd(matcher, at) ?? at;
    else if (matcher[at] === '|') {
      parts.push(matcher.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, matcher.slice(begin)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Where the set that begins there ends; a `]` right behind the beginning belongs to it. `undefined`: the bracket begins no set. */
function findSetEnd(pattern: string | readonly string[], open: number): number | undefined {
  let at = open + 1;
  if (pattern[at] === '!') at += 1;
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') at += 1;
  return at < pattern.length ? at : undefined;
}

type PatternToken = 'any' | ((character: string) => boolean);

/** Whether a text matches one pattern as a whole. Takes time in proportion to both lengths multiplied, whatever the pattern. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const tokens = readTokens([...pattern]);
  return (text) => matchTokens(tokens, [...text]);
}

function readTokens(pattern: readonly string[]): readonly PatternToken[] {
  const tokens: PatternToken[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const mark = pattern[at] ?? '';
    const end = mark === '[' ? findSetEnd(pattern, at) : undefined;
    if (mark === '*') tokens.push('any');
    else if (mark === '?') tokens.push(() => true);
    else if (end !== undefined) {
      tokens.push(readSet(pattern.slice(at + 1, end)));
      at = end;
    } else tokens.push((character) => character === mark);
  }
  return tokens;
}

/**
 * A set as `fnmatch` reads it: a range that is the wrong way round is empty, and a `-` at an edge is itself.
 * Source: `_translate` of Lib/fnmatch.py, CPython 3.11.
 */
function readSet(inside: readonly string[]): (character: string) => boolean {
  const chunks = cutAtHyphens(inside);
  for (let at = chunks.length - 1; at > 0; at -= 1) {
    const [left, right] = [chunks[at - 1] ?? [], chunks[at] ?? []];
    if (codeOf(left.at(-1)) <= codeOf(right[0])) continue;
    chunks.splice(at - 1, 2, [...left.slice(0, -1), ...right.slice(1)]);
  }
  // The sign is looked for only now: it may have come to the front with the end of an empty range.
  const isNegated = chunks[0]?.[0] === '!';
  if (isNegated) chunks[0] = (chunks[0] ?? []).slice(1);
  const singles = new Set(chunks.flat());
  const ranges = chunks.slice(1).map((right, at) => [codeOf(chunks[at]?.at(-1)), codeOf(right[0])] as const);
  const has = (character: string): boolean =>
    singles.has(character) || ranges.some(([from, to]) => codeOf(character) >= from && codeOf(character) <= to);
  return isNegated ? (character) => !has(character) : has;
}

/** The parts between hyphens that stand for ranges. */
function cutAtHyphens(inside: readonly string[]): (readonly string[])[] {
  const chunks: (readonly string[])[] = [];
  let begin = 0;
  let from = inside[0] === '!' ? 2 : 1;
  for (;;) {
    const at = inside.indexOf('-', from);
    if (at < 0) break;
    chunks.push(inside.slice(begin, at));
    begin = at + 1;
    from = at + 3;
  }
  const rest = inside.slice(begin);
  const last = chunks.pop();
  if (last === undefined) return [rest];
  return rest.length > 0 ? [...chunks, last, rest] : [...chunks, [...last, '-']];
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? -1;
}

function matchTokens(tokens: readonly PatternToken[], text: readonly string[]): boolean {
  let [token, at] = [0, 0];
  let [retryToken, retryAt] = [-1, -1];
  while (at < text.length) {
    const wanted = tokens[token];
    if (wanted === 'any') {
      [retryToken, retryAt] = [token + 1, at];
      token += 1;
    } else if (wanted?.(text[at] ?? '')) {
      token += 1;
      at += 1;
    } else if (retryToken >= 0) {
      retryAt += 1;
      [token, at] = [retryToken, retryAt];
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === 'any');
}
