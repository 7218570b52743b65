/** A labelled fact of a screen. A label may come several times in a row; it is shown once. */
export interface FactRow {
  readonly label: string;
  readonly text: string;
}

/** How rows are laid out. */
export interface RowLayout {
  /** Characters in a line. */
  readonly width: number;
  /** Makes a label look like one; by default it stays as it is. */
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
    return wrapText(text, Math.max(24, layout.width - column - 2)).map((line, index) => {
      const head = index === 0 ? shown : '';
      return `  ${style(head)}${' '.repeat(column - head.length)}${line}`.trimEnd();
    });
  });
}

/** A text in lines of at most so many characters, broken at spaces where there are any. */
export function wrapText(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const cut = space > width / 3 ? space : width;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return [...lines, rest];
}
