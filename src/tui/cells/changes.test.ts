import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toChanges } from './changes.ts';
import { createCanvas, type Screen, type Size } from './screen.ts';
import { COLOURS, NO_COLOURS, type Tone } from './tones.ts';

const WRITING = { palette: COLOURS, isUnicode: true };
const TONES = Object.keys(COLOURS) as readonly Tone[];

/** What a person would see: each cell with its character and its look. */
interface Seen {
  readonly write: (text: string) => Promise<void>;
  readonly resize: (size: Size) => void;
  readonly cells: () => readonly string[];
}

function createSeen({ columns, rows }: Size): Seen {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: (size) => terminal.resize(size.columns, size.rows),
    cells: () => {
      const { active } = terminal.buffer;
      return Array.from({ length: terminal.rows }, (_, row) => {
        const line = active.getLine(active.viewportY + row);
        return Array.from({ length: terminal.cols }, (_cell, column) => {
          const cell = line?.getCell(column);
          if (cell === undefined) return '?';
          const look = [cell.getFgColor(), cell.isBold(), cell.isDim(), cell.isInverse()].join(',');
          return `${cell.getChars() || ' '}${look}`;
        }).join('|');
      });
    },
  };
}

const OPEN = '\u001b[?1049h\u001b[?7l\u001b[?25l\u001b[2J';

/** Letters, wide characters, marks, emoji of disputed width, and what must never get to a terminal. */
const TEXT = fc.array(
  fc.constantFrom('a', 'b', ' ', '─', '漢', '字', '🚀', 'e\u0301', '→', '✗', '\u001b[2J', '\u009b', '\u202e', '\r', '\t'),
  {
    maxLength: 30,
  },
);

const DRAWING = fc.record({
  row: fc.nat(7),
  column: fc.nat(30),
  room: fc.nat(30),
  text: TEXT.map((parts) => parts.join('')),
  tone: fc.constantFrom(...TONES),
});

const SCREEN = fc.record({
  size: fc.record({ columns: fc.integer({ min: 2, max: 32 }), rows: fc.integer({ min: 1, max: 8 }) }),
  isResized: fc.boolean(),
  drawings: fc.array(DRAWING, { maxLength: 12 }),
});

function draw(size: Size, drawings: readonly (typeof DRAWING extends fc.Arbitrary<infer One> ? One : never)[]): Screen {
  const canvas = createCanvas(size);
  for (const { row, column, room, text, tone } of drawings) canvas.write(row, column, [{ text, tone }], room);
  return canvas.toScreen();
}

describe('screens that are written as changes', () => {
  it('leave the terminal as if only the last one had been drawn, whatever came before and however it was resized', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(SCREEN, { minLength: 1, maxLength: 6 }), async (steps) => {
        let size = steps[0]?.size ?? { columns: 10, rows: 4 };
        const seen = createSeen(size);
        await seen.write(OPEN);
        let before: Screen | null = null;
        for (const step of steps) {
          if (step.isResized) {
            size = step.size;
            seen.resize(size);
          }
          const after = draw(size, step.drawings);
          await seen.write(toChanges(before, after, WRITING));
          before = after;
        }
        const afresh = createSeen(size);
        await afresh.write(OPEN);
        await afresh.write(toChanges(null, before ?? draw(size, []), WRITING));
        expect(seen.cells()).toEqual(afresh.cells());
      }),
    );
  });

  it('write nothing for the same screen, and only the changed cells of another', () => {
    const [one, other] = ['turn 7', 'turn 8'].map((text) =>
      draw({ columns: 80, rows: 24 }, [{ row: 3, column: 10, room: 20, text, tone: 'plain' }]),
    );
    if (one === undefined || other === undefined) throw new Error('no screens');
    expect(toChanges(one, one, WRITING)).toBe('');
    expect(toChanges(one, other, WRITING)).toBe('\u001b[?2026h\u001b[4;16H8\u001b[?2026l');
  });

  it('never clear anything', () => {
    const screen = draw({ columns: 20, rows: 4 }, [{ row: 0, column: 0, room: 20, text: '\u001b[2Jhello\u001b[K', tone: 'bad' }]);
    const text = toChanges(null, screen, WRITING);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with ESC
    expect(text.match(/\u001b\[[0-9;]*[JK]/g)).toBeNull();
    expect(text).toContain('hello');
  });

  it('have no colours under NO_COLOR', () => {
    const screen = draw({ columns: 20, rows: 1 }, [{ row: 0, column: 0, room: 20, text: 'red', tone: 'good' }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with ESC
    expect(toChanges(null, screen, { palette: NO_COLOURS, isUnicode: true })).not.toMatch(/\u001b\[[0-9;]*3[0-9]m/);
  });

  it('are plain ASCII, cell for cell, where a terminal shows nothing else', () => {
    const screen = draw({ columns: 12, rows: 1 }, [{ row: 0, column: 0, room: 12, text: '─✓ 漢é→x', tone: 'plain' }]);
    const text = toChanges(null, screen, { palette: COLOURS, isUnicode: false });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with ESC
    expect(/^[\u001b -~]*$/.test(text)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    expect(text.replace(/\u001b\[[?0-9;]*[A-Za-z]/g, '')).toContain('-+ ');
  });
});
