import type { CalledTool } from './called-tool.ts';
import { compilePattern, createToolMatcher } from './match-tool.ts';

export interface CallMatcher {
  /** The rule as it is written. */
  readonly rule: string;
  /**
   * Whether the call, or a part of it, is what the rule names: for rules that deny or ask, and for hooks. Where it cannot be told what a call is about, it
   * is.
   */
  readonly touches: (call: CalledTool) => boolean;
  /** Whether the rule names all that the call does: for rules that allow. Where it cannot be told what a call is about, it does not. */
  readonly covers: (call: CalledTool) => boolean;
}

/** The parts of a rule: `bash(npm test*)`. `pattern` is `null` where it is about every call of the tool. */
interface CallRule {
  readonly tool: string;
  readonly pattern: string | null;
}

const MAX_RULE = 2000;

/**
 * Reads a rule `tool` or `tool(pattern)`; `null` for what is none: no tool, nothing in the brackets, brackets that do not end it, over 2,000 characters.
 */
export function parseCallRule(rule: string): CallRule | null {
  const text = rule.trim();
  if (text.length > MAX_RULE || text.startsWith('re:')) return null;
  const open = text.indexOf('(');
  const tool = (open < 0 ? text : text.slice(0, open)).trim();
  if (tool.replace(/[|\s]/g, '') === '' || tool.includes(')')) return null;
  if (open < 0) return { tool, pattern: null };
  const pattern = text.slice(open + 1, -1).trim();
  if (!text.endsWith(')') || pattern === '' || closesEarly(pattern)) return null;
  return { tool, pattern: pattern === '*' ? null : pattern };
}

/** True for `a)|tool(b`: two rules in one, which nobody would see. */
function closesEarly(pattern: string): boolean {
  let depth = 0;
  for (const mark of pattern) {
    if (mark === '(') depth += 1;
    if (mark === ')') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}

/**
 * Makes a matcher of a rule about calls. `tool` is a list of patterns between `|`, as in the matchers of hooks; `pattern` is held against the argument that
 * says what the call is about ({@link CalledTool}): `*` is any text, also `/`, and the pattern has to fit all of it.
 *
 * @returns `null` for a rule that cannot be read
 */
export function createCallMatcher(rule: string): CallMatcher | null {
  const parsed = parseCallRule(rule);
  const isTool = parsed === null ? null : createToolMatcher(parsed.tool);
  if (parsed === null || isTool === null) return null;
  const { pattern } = parsed;
  if (pattern === null) return { rule, touches: ({ tool }) => isTool(tool), covers: ({ tool }) => isTool(tool) };
  const fits = createPattern(pattern);
  return {
    rule,
    touches: ({ tool, things, isUnclear }) => isTool(tool) && (isUnclear || things.some(fits.touches)),
    covers: ({ tool, things, isUnclear }) => isTool(tool) && !isUnclear && things.length > 0 && things.every(fits.covers),
  };
}

type Thing = CalledTool['things'][number];
type TextMatcher = (text: string) => boolean;

/** How one pattern is held against what a call is about. */
interface ThingPattern {
  readonly touches: (thing: Thing) => boolean;
  readonly covers: (thing: Thing) => boolean;
}

function createPattern(pattern: string): ThingPattern {
  const isExact = !/[*?[]/.test(pattern);
  const forText = compileFast(pattern);
  // `npm test:*`, as Claude Code writes it: the command with any arguments, or none.
  const command = pattern.endsWith(':*') ? pattern.slice(0, -2) : null;
  const forCommand = command === null ? forText : anyOf([command, `${command} *`]);
  const [path, inside] = toPathPatterns(pattern);
  const forPath = anyOf([path, ...(inside === null ? [] : [inside])]);
  const forFolder = path.endsWith('/**') ? anyOf([path, path.slice(0, -3)]) : forPath;
  const touchesBy: Readonly<Record<Thing['kind'], TextMatcher>> = { command: forCommand, path: forFolder, url: forText, text: forText };
  const coversBy: Readonly<Record<Thing['kind'], TextMatcher>> = { ...touchesBy, path: forPath };
  return {
    touches: ({ kind, forms }) => some(forms, touchesBy[kind]),
    covers: ({ kind, wholes, written }) => some(wholes, coversBy[kind]) || (kind === 'command' && isExact && written.trim() === pattern),
  };
}

function some(forms: Iterable<string>, matches: TextMatcher): boolean {
  for (const form of forms) if (matches(form)) return true;
  return false;
}

function anyOf(patterns: readonly string[]): TextMatcher {
  const matchers = patterns.map(compileFast);
  return (text) => matchers.some((matches) => matches(text));
}

/** A pattern of paths without `./`, doubled slashes and `..`; `secret/` is the folder and all that is in it. */
function toPathPatterns(pattern: string): readonly [path: string, inside: string | null] {
  let text = pattern.replace(/\/{2,}/g, '/').replace(/(^|\/)(?:\.\/)+/g, '$1');
  for (let shorter = text; ; text = shorter) {
    shorter = text.replace(/(^|\/)(?!\.\.\/)[^/*?[\]]+\/\.\.(?:\/|$)/, '$1');
    if (shorter === text) break;
  }
  const folder = text.length > 1 && text.endsWith('/') ? text.slice(0, -1) : null;
  return folder === null ? [text || '.', null] : [folder, `${folder}/*`];
}

/** As {@link compilePattern}; where the only wildcard is `*`, in time that hardly depends on the length of the text. */
function compileFast(pattern: string): TextMatcher {
  if (/[?[]/.test(pattern)) return compilePattern(pattern);
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
