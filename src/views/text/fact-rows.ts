/** A labelled fact of a screen. A label may come several times in a row; it is shown once. */
export interface FactRow {
  readonly label: string;
  readonly text: string;
}

export function toRows(label: string, texts: readonly string[]): readonly FactRow[] {
  return texts.map((text) => ({ label, text }));
}

/** The row of a text; none where it is empty. */
export function toRow(label: string, text: string): readonly FactRow[] {
  return text === '' ? [] : [{ label, text }];
}

/** A report on a run: a sentence, and facts below it. */
export interface RunReport {
  readonly headline: string;
  /** True if the run completed and a gate says so, too; of a run under way: its process is seen to be there. */
  readonly isGood: boolean;
  readonly rows: readonly FactRow[];
}

/** How rows are laid out. */
export interface RowLayout {
  /** Characters in a line. */
  readonly width: number;
  /** Styles a label; by default it stays as it is. */
  readonly styleLabel?: (label: string) => string;
}

/** Rows as lines: labels in a column, long texts wrapped beside it. */
export function toRowLines(rows: readonly FactRow[], layout: RowLayout): readonly string[] {
  const column = Math.max(...rows.map((row) => row.label.length), 0) + 2;
  const style = layout.styleLabel ?? ((label) => label);
  let last = '';
  return rows.flatMap(({ label, text }) => {
    const shown = label === last ? '' : label;
    last = label;
    return wrapText(text, Math.max(16, layout.width - column - 2)).map((line, index) => {
      const head = index === 0 ? shown : '';
      return `  ${style(head)}${' '.repeat(column - head.length)}${line}`.trimEnd();
    });
  });
}

/**
 * A text in lines of at most so many characters, broken at spaces where there are any. A command between backticks is never broken: it gets a line of its own where it
 * has no room, and exceeds the width if it is longer, so that it can be copied.
 */
export function wrapText(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

/** A command with what touches it, a word, or white space. */
const PIECES = /[^\s`]*`[^`\n]+`[^\s`]*|\S+|\s+/g;

function wrapLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let open = '';
  for (const [piece] of line.matchAll(PIECES)) {
    if ((open + piece).trimEnd().length <= width) {
      open += piece;
      continue;
    }
    if (piece.trim() === '') continue;
    if (open.trim() !== '') lines.push(open.trimEnd());
    open = piece;
    while (open.length > width && !isCommand(open)) {
      lines.push(open.slice(0, width));
      open = open.slice(width);
    }
  }
  return open.trim() === '' && lines.length > 0 ? lines : [...lines, open.trimEnd()];
}

function isCommand(piece: string): boolean {
  return /`[^`]* [^`]*`/.test(piece);
}
