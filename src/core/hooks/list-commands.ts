/** Longer lines are not looked into. Source: what the tool `bash` takes at most. */
const MAX_LINE = 100_000;
const MAX_COMMANDS = 2000;
const MAX_TOTAL = 400_000;
/** Words of one command before which another command may begin. */
const MAX_WORDS = 64;

/** Programs that run what their arguments say. */
const RUNNERS = new Set(
  [
    'sudo doas su pkexec runuser gosu setpriv env command builtin exec eval trap nohup nice ionice chrt taskset prlimit numactl time timeout',
    'stdbuf unbuffer setsid xargs parallel watch entr find sh bash dash zsh ksh fish busybox ssh script strace chroot proot fakeroot unshare',
    'flock systemd-run npx bunx pnpx',
  ].flatMap((names) => names.split(' ')),
);
/** Those that add arguments which the line does not say. */
const ADDERS = new Set(['xargs', 'parallel']);
/** Stands for an argument that the line does not say. */
const UNKNOWN = '{}';
const SHELL_WORDS = new Set('if then elif else while until do case in time ! coproc function'.split(' '));
const SEPARATORS = /[;&|\n\r(){}`]/;
const REDIRECTION = /\d{0,9}[<>]+[|&]?\s*\S*/g;

/**
 * Every text of a command line that a shell might run as a command, as it is written and in plain words: without quotes, redirections, variables that are
 * set before it and the path of its program. Quotes are not looked at, so that none can hide a command: words in quotes may be taken for one.
 *
 * @returns `null` for a line that is too long, or made of too many parts, to be looked into
 */
export function listCommands(line: string): ReadonlySet<string> | null {
  if (line.length > MAX_LINE) return null;
  const found = new Set([line, line.trim()]);
  let total = line.length * 2;
  for (const text of listReadings(line)) {
    const parts = listParts(text);
    if (parts === null) return null;
    for (const part of parts) {
      const forms = listForms(part);
      if (forms === null) return null;
      for (const command of forms) {
        if (command === '' || found.has(command)) continue;
        found.add(command);
        total += command.length;
        if (found.size > MAX_COMMANDS || total > MAX_TOTAL) return null;
      }
    }
  }
  return found;
}

/** True for a line that is one command and nothing else: no second one, nothing that the shell replaces by a command or a variable, no redirection. */
export function isSingleCommand(line: string): boolean {
  return line.length <= MAX_LINE && !/[;&|(){}`$<>\\\p{Cc}\p{Zl}\p{Zp}]/u.test(line);
}

/**
 * The line as it is written, and as a shell reads it: lines joined, `$'…'` decoded, without redirections that hold a separator (`2>&1`), with braces taken apart
 * (`{rm,-rf}`) and what is put in the place of `{}` kept together.
 */
function listReadings(line: string): ReadonlySet<string> {
  const joined = line.replaceAll('\\\n', '');
  const decoded = joined.replace(/\$'((?:[^'\\]|\\[\s\S])*)'/g, (_, text: string) => `'${decodeEscapes(text)}'`).replace(/\$(?=["'])/g, '');
  const plain = decoded.replace(/\d{0,9}[<>]{1,3}[&|]\s*[^\s;&|<>()`]*/g, ' ');
  const braced = plain
    .replace(/\{\}/g, '_')
    .replace(/\{([^{}\s]{0,200},[^{}\s]{0,200})\}/g, (_, words: string) => words.replaceAll(',', ' '));
  return new Set([line, joined, decoded, plain, braced]);
}

const ESCAPE = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|([\s\S]))/gi;

/** What is written in `$'…'`. Source: the manual of bash, "ANSI-C Quoting". */
function decodeEscapes(text: string): string {
  return text.replace(ESCAPE, (_, hex, short, long, octal, character) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    const code = Number.parseInt(hex ?? short ?? long ?? '', 16);
    if (character === undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return 'nrtvfab'.includes(character) ? ' ' : character;
  });
}

/** Where a command may begin: at the start, behind what separates commands, and in quotes. `null` for too many. */
function listParts(text: string): readonly string[] | null {
  const parts = text.split(SEPARATORS);
  if (parts.length > MAX_COMMANDS) return null;
  const starts = [0, ...[...text.matchAll(/[;&|\n\r(){}`"']/g)].map(({ index }) => index + 1)];
  if (starts.length > MAX_COMMANDS) return null;
  let looked = 0;
  for (const start of starts) {
    const begins = skipBefore(text, start);
    looked += begins - start;
    if (looked > MAX_TOTAL) return null;
    if (begins > start) parts.push(text.slice(begins).split(SEPARATORS, 1)[0] ?? '');
  }
  return parts;
}

const SPACE = /[ \t]*/y;
const SETTING = /[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=/y;
const REDIRECTED = /(?:\d{0,9}|&)(?:>>|>\||[<>]&|<>|<<<?-?|[<>])[ \t]*/y;

/** Where the command is behind variables that are set and redirections, whatever is in their quotes and substitutions. */
function skipBefore(text: string, start: number): number {
  let at = start;
  for (let word = 0; word < MAX_WORDS; word += 1) {
    const begins = matchAt(SPACE, text, at);
    const value = matchAt(SETTING, text, begins) || matchAt(REDIRECTED, text, begins);
    if (value <= begins) break;
    at = skipWord(text, value);
  }
  return at;
}

/** The end of what a pattern matches there; 0 where it does not. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

/** The end of a word of the shell. What is not closed ends with the text. */
function skipWord(text: string, start: number): number {
  let at = start;
  const closers: string[] = [];
  for (; at < text.length; at += 1) {
    const character = text[at] ?? '';
    const open = closers.at(-1);
    if (open === "'") {
      if (character === open) closers.pop();
    } else if (character === '\\') at += 1;
    else if (character === open) closers.pop();
    else if (open === undefined && /[\s;&|<>()]/.test(character) && !(character === '(' && text[at - 1] === '$')) break;
    else if (character === '"' || character === '`' || (character === "'" && open !== '"')) closers.push(character);
    else if (character === '(' && (open === ')' || text[at - 1] === '$')) closers.push(')');
    else if (character === '{' && text[at - 1] === '$') closers.push('}');
  }
  return Math.min(at, text.length);
}

/** What may stand before a command: variables, and redirections; either may have quotes. */
const WORD = String.raw`(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\<>])*`;
const BEFORE = new RegExp(String.raw`^\s*(?:(?:\w+\+?=|\d{0,9}[<>]+[|&]?\s*)${WORD}\s+)+`);

/** `null` where the command cannot be told because too much stands before it. */
function listForms(part: string): readonly string[] | null {
  const texts = new Set([part, part.replace(REDIRECTION, ' '), part.replace(BEFORE, ''), ...listBehindQuotes(part)]);
  const forms = [part.trim()];
  for (const text of texts) {
    const found = listWordForms(text);
    if (found === null) return null;
    forms.push(...found);
  }
  return forms;
}

/** A part with a quote too many may begin within a text in quotes: the command is behind its end. */
function listBehindQuotes(part: string): readonly string[] {
  return ['"', "'"].flatMap((mark) => {
    const pieces = part.split(mark);
    return pieces.length % 2 === 0 ? [pieces.slice(1).join(mark)] : [];
  });
}

/** A command in plain words, and those that begin within it because what stands before them runs what follows. */
function listWordForms(part: string): readonly string[] | null {
  const words = part
    .replace(/["'\\]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const forms: string[] = [];
  let isArgument = false;
  let isAddedTo = false;
  for (const [at, word] of words.entries()) {
    if (at === MAX_WORDS) return null;
    const program = word.slice(word.lastIndexOf('/') + 1);
    const rest = words.slice(at + 1);
    const whole = isAddedTo ? [...rest, UNKNOWN] : rest;
    forms.push([word, ...rest].join(' '), [word, ...whole].join(' '));
    if (program !== word && program !== '') forms.push([program, ...rest].join(' '), [program, ...whole].join(' '));
    if (ADDERS.has(program)) isAddedTo = true;
    if (RUNNERS.has(program)) isArgument = true;
    else if (!isArgument && !SHELL_WORDS.has(word) && !/^\w+\+?=/.test(word)) break;
  }
  return forms;
}
