import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyReader } from './read-keys.ts';

function read(...pieces: readonly string[]): readonly string[] {
  const keys = createKeyReader();
  return [...pieces.flatMap((piece) => keys.take(piece)), ...keys.settle()].map(({ name }) => name);
}

describe('what a terminal sends', () => {
  it('is characters and named keys', () => {
    expect(read('q', '\u001b[A', '\u001bOB', '\r', '\t', '\u001b[Z', '\u007f', '\u0003', '漢', '🚀')).toEqual([
      'q',
      'up',
      'down',
      'enter',
      'tab',
      'shift+tab',
      'backspace',
      'ctrl+c',
      '漢',
      '🚀',
    ]);
  });

  it('may be split anywhere', () => {
    const text = 'a\u001b[A\u001b[5~\u001b[200~two\nlines\u001b[201~b';
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(read(...pieces)).toEqual(['a', 'up', 'pageup', 'paste', 'b']);
      }),
    );
  });

  it('is esc where nothing follows', () => {
    expect(read('\u001b')).toEqual(['esc']);
    expect(read('\u001b', '[A')).toEqual(['up']);
  });

  it('is one text where it was pasted, so that nothing in it is taken for keys', () => {
    const [key] = createKeyReader().take('\u001b[200~q\u0003s\u001b[201~');
    expect(key).toEqual({ name: 'paste', text: 'q\u0003s' });
  });

  it('has no keys in what is too much of a paste, however it comes', () => {
    for (const size of [1, 7, 1000, 65_536]) {
      const keys = createKeyReader();
      const text = `\u001b[200~${'sn'.repeat(30_000)}\u001b[201~q`;
      const names: string[] = [];
      for (let from = 0; from < text.length; from += size) names.push(...keys.take(text.slice(from, from + size)).map(({ name }) => name));
      expect(names).toEqual(['paste', 'q']);
    }
  });

  it('never stops the reader, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u001b[200~')),
        (text) => {
          const keys = createKeyReader();
          keys.take(text);
          keys.settle();
          expect(keys.take('q').map(({ name }) => name)).toEqual(['q']);
        },
      ),
    );
  });
});
