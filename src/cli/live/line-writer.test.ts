import { describe, expect, it } from 'vitest';
import { createLineWriter } from './line-writer.ts';

function write(isTty: boolean, play: (writer: ReturnType<typeof createLineWriter>) => void): string {
  let text = '';
  play(
    createLineWriter({
      isTty,
      out: (piece) => {
        text += piece;
      },
    }),
  );
  return text;
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

  it('replaces a passing line by whatever comes next', () => {
    expect(
      write(true, (writer) => {
        writer.passing('3 s');
        writer.passing('2 s');
        writer.line('go');
      }),
    ).toBe('\r\u001b[2K3 s\r\u001b[2K2 s\r\u001b[2Kgo\n');
  });

  it('shows no passing line where nobody watches, nor in the middle of a line', () => {
    expect(write(false, (writer) => writer.passing('3 s'))).toBe('');
    expect(
      write(true, (writer) => {
        writer.text('half');
        writer.passing('3 s');
      }),
    ).toBe('half');
  });
});
