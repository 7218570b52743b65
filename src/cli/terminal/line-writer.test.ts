import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { createFakeScreen } from './screen-fixtures.ts';

function write(canMove: boolean, play: (writer: LineWriter) => void, stamp?: () => string): string {
  let text = '';
  const out = (piece: string): void => {
    text += piece;
  };
  play(createLineWriter({ canMove, out, columns: () => 80 }, stamp === undefined ? {} : { stamp }));
  return text;
}

function onScreen(play: (writer: LineWriter) => void, { width = 20, height = 4 } = {}): ReturnType<typeof createFakeScreen> {
  const screen = createFakeScreen(width, height);
  play(createLineWriter({ canMove: true, out: screen.write, columns: screen.columns }));
  return screen;
}

describe('createLineWriter', () => {
  it('ends streamed text before a line of its own', () => {
    expect(
      write(false, (writer) => {
        writer.text('half');
        writer.text(' a line');
        writer.line('own');
      }),
    ).toBe('half a line\nown\n');
  });

  it('finishes an opened line in place when nothing came between', () => {
    expect(
      write(false, (writer) => {
        writer.openLine('a', 'test …');
        expect(writer.closeLine('a', ' ok')).toBe(true);
      }),
    ).toBe('test … ok\n');
  });

  it('does not finish it when something came between', () => {
    expect(
      write(false, (writer) => {
        writer.openLine('a', 'test …');
        writer.text('said\n');
        expect(writer.closeLine('a', ' ok')).toBe(false);
      }),
    ).toBe('test …\nsaid\n');
  });

  it('begins each line of a log with its stamp, and no other place, however the text is cut', () => {
    const stamps = ['1 ', '2 ', '3 ', '4 ', '5 ', '6 '];
    const stamp = (): string => stamps.shift() ?? '';
    const text = write(
      false,
      (writer) => {
        writer.line('own');
        writer.text('one\ntwo');
        writer.text(' goes on\n\nthree');
        writer.gap();
        writer.openLine('a', 'test …');
        writer.closeLine('a', ' ok');
      },
      stamp,
    );
    expect(text.split('\n')).toEqual(['1 own', '2 one', '2 two goes on', '3 ', '3 three', '5 test … ok', '']);
  });
});

describe('the status line', () => {
  it('stands below a line that is open, and the text goes on where it was', () => {
    const screen = onScreen((writer) => {
      writer.text('half');
      writer.status('turn 1');
      writer.text(' a line');
    });
    expect(screen.rows()).toEqual(['half a line', 'turn 1']);
  });

  it('gives way to every other line and stands below it', () => {
    const screen = onScreen((writer) => {
      writer.status('turn 1');
      writer.line('own');
    });
    expect(screen.rows()).toEqual(['own', 'turn 1']);
  });

  it('is cut by the terminal where it is too long, and never broken', () => {
    const screen = onScreen((writer) => {
      writer.line('own');
      writer.status('a line that is much too long for it');
      writer.status('short');
    });
    expect(screen.rows()).toEqual(['own', 'short']);
  });

  it('is nowhere where the terminal cannot move', () => {
    expect(write(false, (writer) => writer.status('turn 1'))).toBe('');
  });

  it('leaves nothing behind, on the screen or in the scrollback, whatever is written', () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'b'), maxLength: 50 }).map((text) => ({ kind: 'text' as const, text })),
      fc.string({ unit: fc.constantFrom('c', 'd'), maxLength: 30 }).map((text) => ({ kind: 'line' as const, text })),
      fc.string({ unit: fc.constantFrom('#'), minLength: 1, maxLength: 30 }).map((text) => ({ kind: 'status' as const, text })),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const play = (isShown: boolean) => (writer: LineWriter) => {
          for (const { kind, text } of pieces) {
            if (kind === 'status') writer.status(isShown ? text : null);
            else writer[kind](text);
          }
          writer.status(null);
        };
        const [shown, bare] = [onScreen(play(true)), onScreen(play(false))];
        const all = (screen: typeof shown): string =>
          [...screen.scrollback(), ...screen.rows()]
            .map((row) => row.trimEnd())
            .join('\n')
            .trimEnd();
        expect(all(shown)).toBe(all(bare));
        expect(all(shown)).not.toContain('#');
      }),
    );
  });
});
