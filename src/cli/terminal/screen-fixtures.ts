/** A terminal as far as our output needs one: wraps, scrolls, obeys the sequences that the status line is drawn with; throws on any other. */
export interface FakeScreen {
  readonly write: (text: string) => void;
  /** What has left the screen at its top. */
  readonly scrollback: () => readonly string[];
  /** The rows of the screen, without those that are empty at its end. */
  readonly rows: () => readonly string[];
  readonly columns: () => number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with ESC
const PIECES = /\u001b(?:\[[?0-9;]*[A-Za-z]|[78D])|[\s\S]/gu;

export function createFakeScreen(width: number, height: number): FakeScreen {
  let grid: string[][] = Array.from({ length: height }, () => []);
  const gone: string[] = [];
  const at = { row: 0, column: 0, wraps: true };
  let saved = { row: 0, column: 0 };

  const down = (): void => {
    if (at.row < height - 1) at.row += 1;
    else {
      gone.push((grid[0] ?? []).join(''));
      grid = [...grid.slice(1), []];
    }
  };
  const type = (character: string): void => {
    if (at.column >= width && at.wraps) {
      at.column = 0;
      down();
    }
    const row = grid[at.row] ?? [];
    const column = Math.min(at.column, width - 1);
    while (row.length < column) row.push(' ');
    row[column] = character;
    at.column = column + 1;
  };
  const obeyed: Readonly<Record<string, () => void>> = {
    '\n': () => {
      at.column = 0;
      down();
    },
    '\r': () => {
      at.column = 0;
    },
    '\u001bD': down,
    '\u001b[A': () => {
      at.row = Math.max(0, at.row - 1);
    },
    '\u001b[B': () => {
      at.row = Math.min(height - 1, at.row + 1);
    },
    '\u001b7': () => {
      saved = { row: at.row, column: at.column };
    },
    '\u001b8': () => void Object.assign(at, saved),
    '\u001b[?7l': () => {
      at.wraps = false;
    },
    '\u001b[?7h': () => {
      at.wraps = true;
    },
    '\u001b[J': () => {
      grid = grid.map((row, index) => (index < at.row ? row : index === at.row ? row.slice(0, at.column) : []));
    },
  };

  return {
    write: (text) => {
      for (const [piece] of text.matchAll(PIECES)) {
        const obey = obeyed[piece];
        if (obey !== undefined) obey();
        else if (piece >= ' ') type(piece);
        else throw new Error(`no such sequence: ${JSON.stringify(piece)}`);
      }
    },
    scrollback: () => gone,
    rows: () => {
      const rows = grid.map((row) => row.join('').trimEnd());
      return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
    },
    columns: () => width,
  };
}
