import { cleanText } from './clean-text.ts';

/** What Markdown, HTML or a forge would make something of, wherever in a word it stands. */
const SPECIAL = new RegExp(
  [
    // Marks, mentions, numbers of issues, labels, mathematics.
    String.raw`[\\\x60*_~[\]<>{}|@#&$^]`,
    // Addresses, with and without a scheme; a command of a forge at the start.
    String.raw`//|www\.|(?:mailto|xmpp):|[\p{L}\p{N}\-]\.\p{L}{2}|^[^\p{L}\p{N}]*/`,
    // Commits, issues and milestones; little pictures.
    String.raw`(?<![\p{L}\p{N}])[0-9a-f]{7,64}(?![\p{L}\p{N}])|\p{L}[\p{L}\p{N}]*-\d|![\p{L}\p{N}"(]|%[\p{L}\p{N}"]|:[a-z0-9+\-]+:`,
  ].join('|'),
  'iu',
);
/** What begins a list, a heading or a line across. */
const LEADING = /^(?:[-+=]+|\d+[.)])(?= |$)/;
const CODE = /(`[^`\n]+`)/;

/**
 * A text from anywhere as Markdown on one line that shows it and does nothing: no HTML, no link, no mention, no picture. Words that could become more than
 * themselves stand in code, as what stands between backticks does.
 */
export function toMarkdownText(text: string): string {
  return (
    cleanText(text)
      .replace(/\s+/g, ' ')
      .trim()
      .replace(LEADING, '`$&`')
      .split(CODE)
      .map((part) => (/^`[^`\n]+`$/.test(part) ? toCodeSpan(part.slice(1, -1)) : toWords(part)))
      // Marks that touch would be other marks.
      .reduce((before, part) => (before.endsWith('`') && part.startsWith('`') ? `${before} ${part}` : before + part), '')
  );
}

/** Words in a row that have to stand in code stand in one piece of it. */
function toWords(text: string): string {
  const pieces: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) pieces.push(toCodeSpan(open.join(' ')));
    open = [];
  };
  const words = text.split(' ');
  for (const word of words) {
    const [, core = '', rest = ''] = /^([\s\S]*?)([,.]*)$/.exec(word) ?? [];
    if (SPECIAL.test(core)) {
      open.push(core);
      if (rest === '') continue;
      close();
      pieces.push(`${pieces.pop() ?? ''}${rest}`);
    } else {
      close();
      pieces.push(word);
    }
  }
  close();
  return pieces.join(' ');
}

/** A text as code in a line, whatever is in it. */
export function toCodeSpan(text: string): string {
  const line = cleanText(text).replace(/\s+/g, ' ');
  const mark = '`'.repeat(longestRun(line) + 1);
  const space = /^[`\s]|[`\s]$/.test(line) || line === '' ? ' ' : '';
  return `${mark}${space}${line}${space}${mark}`;
}

/** A text of several lines as a block of code that nothing in it ends. */
export function toCodeBlock(text: string): readonly string[] {
  const clean = cleanText(text).replace(/\n+$/, '');
  const mark = '`'.repeat(Math.max(3, longestRun(clean) + 1));
  return [`${mark}text`, ...clean.split('\n'), mark];
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
