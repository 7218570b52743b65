/** The marks that Ralph writes, for terminals that cannot show them. */
const ASCII: Readonly<Record<string, string>> = {
  '─': '-',
  '·': '-',
  '→': '->',
  '⚙': '*',
  '✓': '+',
  '✗': 'x',
  '▸': '>',
  '…': '...',
  '’': "'",
  '“': '"',
  '”': '"',
  '│': '|',
  '┆': ':',
  '┃': '#',
  '╌': '.',
  '━': '=',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '├': '+',
  '┤': '+',
  '┬': '+',
  '┴': '+',
  '┼': '+',
  '┏': '#',
  '┓': '#',
  '┗': '#',
  '┛': '#',
  '┣': '#',
  '┫': '#',
  '┳': '#',
  '┻': '#',
  '╋': '#',
  '▲': '^',
  '▼': 'v',
  '▶': '>',
  '◈': '%',
  '↻': '@',
  '×': 'x',
};
const MARKS = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'g');

/** A text without Ralph's own marks; what else is not ASCII is the agents' and stays. */
export function toAscii(text: string): string {
  return text.replace(MARKS, (mark) => ASCII[mark] ?? mark);
}

/**
 * Whether a terminal shows UTF-8: what LC_ALL, else LC_CTYPE, else LANG says. Where none says anything (a container), only consoles that
 * certainly cannot are taken at their TERM.
 */
export function showsUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return env['TERM'] !== 'linux' && env['TERM'] !== 'dumb';
}
