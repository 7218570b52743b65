/** Longer lines are not looked into. Source: what the tool `bash` takes at most. */
const MAX_LINE = 100_000;
const MAX_COMMANDS = 2000;
const MAX_TOTAL = 400_000;
/** Words of one command before which another command may begin. */
const MAX_WORDS = 64;

/** Programs that run what their arguments say. */
const RUNNERS = new Set(
  'sudo doas su env command builtin exec eval nohup nice ionice time timeout stdbuf setsid xargs parallel watch find sh bash dash zsh ksh fish busybox ssh script strace chroot unshare flock'.split(
    ' ',
  ),
);
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
  const joined = line.replaceAll('\\\n', '');
  for (const text of joined === line ? [line] : [line, joined]) {
    for (const part of text.split(SEPARATORS)) {
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
  for (const [at, word] of words.entries()) {
    if (at === MAX_WORDS) return null;
    const program = word.slice(word.lastIndexOf('/') + 1);
    const rest = words.slice(at + 1);
    forms.push([word, ...rest].join(' '));
    if (program !== word && program !== '') forms.push([program, ...rest].join(' '));
    if (RUNNERS.has(program)) isArgument = true;
    else if (!isArgument && !SHELL_WORDS.has(word) && !/^\w+\+?=/.test(word)) break;
  }
  return forms;
}
